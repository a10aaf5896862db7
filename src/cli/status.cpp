#include "arguments.hpp"
#include "command.hpp"
#include "exit_codes.hpp"
#include "output.hpp"
#include "status_json.hpp"
#include "status_text.hpp"

#include <rwlease/lock.hpp>

#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "status";

po::options_description description() {
  po::options_description options("Options");
  options.add_options()                                              //
      ("json", "write JSON, for programs; its form is kept stable")  //
      ("help,h", "show this help");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: rwlease status [--json] PATH\n\n"
          "Shows who holds the lock on PATH, who waits for it, and what was left over. Changes\n"
          "nothing, and needs no write permission.\n\n"
       << description()
       << "\nA heartbeat's age is by this host's clock against the file server's.\n\n"
          "Exit code: 0 whoever holds it, also where nobody has used the lock yet; 125 when\n"
          "that cannot be found out.\n";
  return text.str();
}

}  // namespace

int status_command(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, description(), arguments);
  if (parsed.options.count("help") != 0) {
    write_stdout(help());
    return exit_ok;
  }
  const std::string path = only_path(command_name, parsed.positional);
  const Status status = Lock(path).status();
  const auto now = std::chrono::system_clock::now();
  const bool as_json = parsed.options.count("json") != 0;
  write_stdout(as_json ? status_json(path, status, now) : status_text(path, status, now));
  return exit_ok;
}

}  // namespace rwlease::cli
