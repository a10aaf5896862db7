// rwlease: read/write leases for the shell. This file finds the subcommand; each has a file of its own.
#include "arguments.hpp"
#include "command.hpp"
#include "completion.hpp"
#include "exit_codes.hpp"
#include "output.hpp"
#include "suggestion.hpp"
#include "version.hpp"
#include "way_out.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
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

constexpr Subcommand subcommands[] = {
    {"break", "take a lease from its holder", break_command},
    {"fence", "print the fencing number of the newest write lease", fence_command},
    {"lockfile", "make, check, touch and remove lock files, or run a command under one", lockfile_command},
    {"probe", "find out whether a directory can be used for locks", probe_command},
    {"run", "run a command while holding a lease", run_command},
    {"status", "show who holds a lock and who waits for it", status_command},
    {"trace", "tell from event logs who waited, held and lost", trace_command},
    {"wait", "wait until a lock is free, or was written to", wait_command},
};

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
         "  --help     show this help; 'rwlease COMMAND --help' shows that of a command\n"
         "  --version  show the version, and how it was built\n\n"
         "Completion for bash: eval \"$(rwlease completion bash)\"\n\n"
         "Exit code: 0 done; 125 rwlease failed, or was called wrongly; others as the command says.\n";
}

std::vector<std::string> first_words() {
  std::vector<std::string> words{"--help", "--version"};
  for (const Subcommand& subcommand : subcommands) words.emplace_back(subcommand.name);
  return words;
}

int show(const std::string& text) {
  write_stdout(text);
  return exit_ok;
}

std::string unknown(const std::string& word) {
  const std::string kind = word.rfind('-', 0) == 0 ? "option" : "command";
  return "there is no " + kind + " '" + word + "'" + did_you_mean(word, first_words());
}

std::string help_of(const Subcommand& subcommand) {
  const StdoutCapture capture;
  subcommand.run({"--help"});
  return capture.text();
}

// For packagers, who install what it writes, and for ~/.bashrc.
std::string completion_for(const std::vector<std::string>& shells) {
  if (shells != std::vector<std::string>{"bash"}) throw BadUsage("completion is there for one shell: bash");
  std::vector<CommandHelp> commands;
  for (const Subcommand& subcommand : subcommands) {
    commands.push_back({std::string(subcommand.name), help_of(subcommand)});
  }
  return bash_completion(commands);
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) throw BadUsage("which command?");
  const std::string& first = words.front();
  const bool wants_help = first == "--help" || first == "-h";
  if ((wants_help || first == "--version") && words.size() > 1) {
    throw BadUsage("'" + first + "' stands alone, but '" + words[1] + "' follows it");
  }
  if (wants_help) return show(general_help());
  if (first == "--version") return show(version_text());
  if (first == "completion") return show(completion_for({words.begin() + 1, words.end()}));
  const auto* const found = std::find_if(std::begin(subcommands), std::end(subcommands),
                                         [&first](const Subcommand& subcommand) { return subcommand.name == first; });
  if (found == std::end(subcommands)) throw BadUsage(unknown(first));
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
  } catch (const Error& error) {
    say(error.what() + way_out(error, words.front()));
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
