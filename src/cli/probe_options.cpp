#include "probe_options.hpp"

#include "arguments.hpp"

#include <algorithm>
#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "probe";

}  // namespace

po::options_description probe_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("json", "write JSON, for programs; its form is kept stable");
  add("help,h", "show this help");
  return options;
}

std::optional<ProbeRequest> parse_probe(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, probe_options(), arguments);
  if (parsed.options.count("help") != 0) return std::nullopt;
  ProbeRequest request{parsed.positional, parsed.options.count("json") != 0};
  if (request.directories.empty()) throw BadUsage("which directory? DIR is missing", command_name);
  const auto is_empty = [](const std::string& word) { return word.empty(); };
  if (std::any_of(request.directories.begin(), request.directories.end(), is_empty)) {
    throw BadUsage("DIR is empty", command_name);
  }
  return request;
}

std::string probe_help() {
  std::ostringstream text;
  text << "Usage: rwlease probe [--json] DIR...\n\n"
          "Tries in a directory of its own below DIR, within seconds and from this host alone,\n"
          "whether rwlease can be used there: what the mount is, whether the calls that leases\n"
          "are made of work, how fine times are, how this host's clock stands to the file\n"
          "server's, and what a lease costs, on NFS in requests too. Several DIRs are ways to\n"
          "the same directory (two mounts of one export): what is changed by one must be seen\n"
          "by the other. From several hosts at once: rwlease-selftest.\n\n"
       << probe_options()
       << "\nIt leaves nothing behind, also when a signal ends it.\n\n"
          "Exit code: 0 usable; 1 unusable, for the reasons shown; 125 DIR cannot be tried at\n"
          "all; 128+N signal N ended it.\n";
  return text.str();
}

}  // namespace rwlease::cli
