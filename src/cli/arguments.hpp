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

  // All of them in the order they were given: an option's long name, or nothing for a positional word; and the word.
  std::vector<std::pair<std::string, std::string>> sequence;
};

// Throws BadUsage for unknown, repeated or incomplete options. Abbreviated option names are refused: a later option
// could make them ambiguous.
ParsedArguments parse(const std::string& command, const boost::program_options::options_description& description,
                      const std::vector<std::string>& arguments);

// The PATHs among the positional words, at least one. Throws BadUsage for none, for an empty one, and for a lock
// directory: whoever names data.rwlease means the lock on data.
const std::vector<std::string>& some_paths(const std::string& command, const std::vector<std::string>& positional,
                                           const std::string& kind = "PATH");

// The one PATH among them; `kind` is what the help calls it. Throws BadUsage for several, too.
std::string only_path(const std::string& command, const std::vector<std::string>& positional,
                      const std::string& kind = "PATH");

}  // namespace rwlease::cli
