#include "arguments.hpp"
#include "command.hpp"
#include "exit_codes.hpp"
#include "output.hpp"

#include <rwlease/lock.hpp>

#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "fence";

po::options_description description() {
  po::options_description options("Options");
  options.add_options()("help,h", "show this help");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: rwlease fence PATH\n\n"
          "Prints the fencing number of the newest write lease on PATH: a store that remembers\n"
          "the greatest number it saw can refuse a writer with a smaller one. 0 when there was\n"
          "none. Changes nothing; to look takes the right to read PATH.rwlease, which its owner\n"
          "has, and with --group its group.\n\n"
       << description() << "\nExit code: 0 it was printed; 125 it cannot be found out.\n";
  return text.str();
}

}  // namespace

int fence_command(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, description(), arguments);
  if (parsed.options.count("help") != 0) {
    write_stdout(help());
    return exit_ok;
  }
  const Lock lock(only_path(command_name, parsed.positional));
  write_stdout(std::to_string(lock.status().fence) + '\n');
  return exit_ok;
}

}  // namespace rwlease::cli
