// What a shell needs to complete a command line, made from what --help says.
#pragma once

#include <string>
#include <vector>

namespace rwlease::cli {

struct CommandHelp {
  std::string name;
  std::string text;  // what its --help writes
};

struct HelpOption {
  std::string name;    // "--timeout-exit-code"
  std::string letter;  // "-E"; empty: none
  bool takes_value = false;
};

// The lines "  -E [ --timeout-exit-code ] N  ..." and "  --json  ..." of a help text.
std::vector<HelpOption> options_in(const std::string& help);

// A script to be sourced by bash.
std::string bash_completion(const std::vector<CommandHelp>& commands);

}  // namespace rwlease::cli
