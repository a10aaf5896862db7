#include "arguments.hpp"

#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>

#include <algorithm>

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
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .style(style)
                  .positional(po::positional_options_description().add(positional_name, -1))
                  .run(),
              parsed.options);
    po::notify(parsed.options);
  } catch (const po::error& error) {
    throw BadUsage(error.what(), command);
  }
  if (parsed.options.count(positional_name) != 0) {
    parsed.positional = parsed.options[positional_name].as<std::vector<std::string>>();
  }
  return parsed;
}

std::string only_path(const std::string& command, const std::vector<std::string>& positional) {
  if (positional.empty()) throw BadUsage("which lock? PATH is missing", command);
  if (positional.size() > 1) {
    throw BadUsage("one PATH is taken, but '" + positional[0] + "' and '" + positional[1] + "' were given", command);
  }
  if (positional[0].empty()) throw BadUsage("PATH is empty", command);
  return positional[0];
}

}  // namespace rwlease::cli
