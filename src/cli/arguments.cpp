#include "arguments.hpp"

#include "suggestion.hpp"

#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>

#include <algorithm>
#include <string_view>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* positional_name = "positional word";

po::options_description with_positional(const po::options_description& description) {
  po::options_description all;
  all.add(description);
  all.add_options()(positional_name, po::value<std::vector<std::string>>());
  return all;
}

std::vector<std::pair<std::string, std::string>> sequence_of(const po::parsed_options& parsed) {
  std::vector<std::pair<std::string, std::string>> sequence;
  for (const po::option& option : parsed.options) {
    const bool is_positional = option.string_key == positional_name;
    sequence.emplace_back(is_positional ? "" : option.string_key, option.value.empty() ? "" : option.value.front());
  }
  return sequence;
}

std::vector<std::string> names_of(const po::options_description& description) {
  std::vector<std::string> names;
  for (const auto& option : description.options()) names.push_back("--" + option->long_name());
  return names;
}

// By its name alone, whether it is there or not: the same words must not mean one lock today and another one tomorrow.
void refuse_lock_directory(const std::string& command, std::string path) {
  constexpr std::string_view suffix = ".rwlease";
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t last = path.rfind('/') + 1;  // 0 where there is none
  if (path.size() - last <= suffix.size() || path.compare(path.size() - suffix.size(), std::string::npos, suffix) != 0)
    return;
  const std::string locked = path.substr(0, path.size() - suffix.size());
  throw BadUsage("'" + path + "' names a lock directory; for the lock that is kept in it, say '" + locked + "'",
                 command);
}

}  // namespace

SplitArguments split_at_dashes(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  SplitArguments split;
  split.before.assign(arguments.begin(), dashes);
  if (dashes != arguments.end()) split.after.emplace(dashes + 1, arguments.end());
  return split;
}

ParsedArguments parse(const std::string& command, const po::options_description& description,
                      const std::vector<std::string>& arguments) {
  const po::options_description all = with_positional(description);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  ParsedArguments parsed;
  try {
    const auto words = po::command_line_parser(arguments)
                           .options(all)
                           .style(style)
                           .positional(po::positional_options_description().add(positional_name, -1))
                           .run();
    parsed.sequence = sequence_of(words);
    po::store(words, parsed.options);
    po::notify(parsed.options);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    throw BadUsage("there is no option '" + name + "'" + did_you_mean(name, names_of(description)), command);
  } catch (const po::error& error) {
    throw BadUsage(error.what(), command);
  }
  if (parsed.options.count(positional_name) != 0) {
    parsed.positional = parsed.options[positional_name].as<std::vector<std::string>>();
  }
  return parsed;
}

const std::vector<std::string>& some_paths(const std::string& command, const std::vector<std::string>& positional,
                                           const std::string& kind) {
  if (positional.empty()) throw BadUsage("which lock? " + kind + " is missing", command);
  for (const std::string& path : positional) {
    if (path.empty()) throw BadUsage(kind + " is empty", command);
    refuse_lock_directory(command, path);
  }
  return positional;
}

std::string only_path(const std::string& command, const std::vector<std::string>& positional, const std::string& kind) {
  const std::string& path = some_paths(command, positional, kind).front();
  if (positional.size() > 1) {
    throw BadUsage("one " + kind + " is taken, but '" + positional[0] + "' and '" + positional[1] + "' were given",
                   command);
  }
  return path;
}

}  // namespace rwlease::cli
