// rwlease: read/write leases for the shell. This file finds the subcommand; each has a file of its own.
#include "arguments.hpp"
#include "command.hpp"
#include "exit_codes.hpp"
#include "output.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease::cli {
namespace {

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
};

constexpr std::array<Subcommand, 2> subcommands{{
    {"run", "run a command while holding a lease", run_command},
    {"status", "show who holds a lock and who waits for it", status_command},
}};

std::string general_help() {
  std::string help =
      "Usage: rwlease COMMAND ...\n\n"
      "Read/write leases on names in shared directories, for processes on any hosts.\n\n"
      "Commands:\n";
  for (const Subcommand& subcommand : subcommands) {
    help += "  ";
    help += subcommand.name;
    help.append(10 - subcommand.name.size(), ' ');
    help += subcommand.summary;
    help += '\n';
  }
  return help +
         "\nOptions:\n"
         "  --help    show this help; 'rwlease COMMAND --help' shows that of a command\n"
         "  --version show the version\n";
}

int show(const std::string& text) {
  write_stdout(text);
  return exit_ok;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) throw BadUsage("which command?");
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") return show(general_help());
  if (first == "--version") return show("rwlease " RWLEASE_VERSION "\n");
  const auto* const found = std::find_if(subcommands.begin(), subcommands.end(),
                                         [&first](const Subcommand& subcommand) { return subcommand.name == first; });
  if (found == subcommands.end()) throw BadUsage("there is no command '" + first + "'");
  return found->run({words.begin() + 1, words.end()});
}

int complain(const std::string& sentence, const std::string& command) {
  const std::string help = command.empty() ? "rwlease --help" : "rwlease " + command + " --help";
  say(sentence + "; see '" + help + "'");
  return exit_failure;
}

int guarded(const std::vector<std::string>& words) {
  try {
    return dispatch(words);
  } catch (const BadUsage& error) {
    return complain(error.what(), error.command());
  } catch (const InvalidOptions& error) {
    return complain(error.what(), words.front());
  } catch (const std::exception& error) {
    say(error.what());
  }
  return exit_failure;
}

}  // namespace
}  // namespace rwlease::cli

int main(int argc, char** argv) {
  rwlease::cli::open_standard_descriptors();
  return rwlease::cli::guarded(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
