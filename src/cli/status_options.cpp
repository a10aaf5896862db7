#include "status_options.hpp"

#include "arguments.hpp"
#include "values.hpp"

#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "status";
constexpr std::chrono::milliseconds shortest_interval{100};

std::chrono::milliseconds checked_interval(std::chrono::milliseconds interval) {
  if (interval < shortest_interval) throw BadUsage("--interval takes 0.1 seconds or more", command_name);
  return interval;
}

}  // namespace

po::options_description status_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("json", "write JSON, for programs; its form is kept stable");
  add("watch", "look again and again until interrupted; on a terminal, in place");
  add("interval", po::value<std::string>()->value_name("S"), "with --watch: seconds between two looks (default: 2)");
  add("help,h", "show this help");
  return options;
}

std::optional<StatusRequest> parse_status(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, status_options(), arguments);
  const Values values(command_name, parsed.options);
  if (values.has("help")) return std::nullopt;
  StatusRequest request;
  request.paths = some_paths(command_name, parsed.positional);
  request.json = values.has("json");
  request.watch = values.has("watch");
  if (values.has("interval") && !request.watch) throw BadUsage("--interval goes with --watch", command_name);
  request.interval = checked_interval(values.seconds("interval").value_or(request.interval));
  return request;
}

std::string status_help() {
  std::ostringstream text;
  text << "Usage: rwlease status [--json] [--watch [--interval S]] PATH...\n\n"
          "Shows who holds the lock on each PATH, who waits for it, and what was left over.\n"
          "Changes nothing; to look takes the right to read PATH.rwlease, which its owner has,\n"
          "and with --group its group.\n\n"
       << status_options()
       << "\nSTATE: 'alive' on proof of this host, or for a heartbeat younger than the lease;\n"
          "'suspect' without one for longer than that; 'dead' on proof. A heartbeat's age is by\n"
          "this host's clock against the file server's.\n\n"
          "JSON is one object for one PATH, an array of them for several; with --watch one line\n"
          "for each look. Colours come on a terminal only, and not where NO_COLOR is set.\n\n"
          "A line 'refused:' says why 'rwlease run' refuses the lock directory as it is, with\n"
          "--group or without it, and what to do about that.\n\n"
          "Exit code: 0 whoever holds it, also where nobody has used the lock yet or 'rwlease\n"
          "run' refuses it; 125 when that cannot be found out for one of them. --watch ends with\n"
          "the signal that ends it, or with 0 when nobody reads stdout any more.\n";
  return text.str();
}

}  // namespace rwlease::cli
