// From words to options.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rwlease::cli {

// The call makes no sense. what() is one sentence; command() names the help to look at ("run", or empty).
class BadUsage : public std::runtime_error {
 public:
  explicit BadUsage(const std::string& sentence, std::string command = {})
      : std::runtime_error(sentence), command_(std::move(command)) {}

  const std::string& command() const noexcept { return command_; }

 private:
  std::string command_;
};

// The words before the first "--", and those after it; no second part where there is no "--".
struct SplitArguments {
  std::vector<std::string> before;
  std::optional<std::vector<std::string>> after;
};

SplitArguments split_at_dashes(const std::vector<std::string>& arguments);

// What one subcommand was given: its options, and the words that are no options.
struct ParsedArguments {
  boost::program_options::variables_map options;
  std::vector<std::string> positional;
};

// Throws BadUsage for unknown, repeated or incomplete options. Abbreviated option names are refused: a later option
// could make them ambiguous.
ParsedArguments parse(const std::string& command, const boost::program_options::options_description& description,
                      const std::vector<std::string>& arguments);

// The one PATH among the positional words. Throws BadUsage for none, for several, for an empty one.
std::string only_path(const std::string& command, const std::vector<std::string>& positional);

}  // namespace rwlease::cli
