#include "trace_options.hpp"

#include "arguments.hpp"
#include "values.hpp"

#include <algorithm>
#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "trace";

po::options_description description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("chrome", po::value<std::string>()->value_name("FILE"),
      "write a trace for ui.perfetto.dev and chrome://tracing into FILE; -: to stdout, instead of the lines");
  add("help,h", "show this help");
  return options;
}

}  // namespace

std::optional<TraceRequest> parse_trace(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, description(), arguments);
  const Values values(command_name, parsed.options);
  if (values.has("help")) return std::nullopt;
  TraceRequest request{parsed.positional, values.text("chrome")};
  if (request.logs.empty()) throw BadUsage("which logs? LOG is missing", command_name);
  if (std::find(request.logs.begin(), request.logs.end(), "") != request.logs.end()) {
    throw BadUsage("LOG is empty", command_name);
  }
  if (request.chrome && request.chrome->empty()) throw BadUsage("--chrome takes the name of a file", command_name);
  return request;
}

std::string trace_help() {
  std::ostringstream text;
  text << "Usage: rwlease trace [--chrome FILE] LOG...\n\n"
          "Tells from the logs of any number of processes and hosts who waited, claimed, drained,\n"
          "held and lost, in one order. Each LOG is a file, or a directory with such files.\n\n"
          "Processes write them where the environment variable RWLEASE_TRACE names a directory:\n"
          "programs with the library, 'rwlease run' and rwlease-selftest, a file each. It should\n"
          "be on a local disk, or one that does not hang with the leases.\n\n"
       << description()
       << "\nHosts' clocks are not believed: they are aligned so that no grant comes before the\n"
          "release that it waited for, and by their wall clocks only within that.\n\n"
          "What a killed process left half is left out, with a note on stderr; so is an empty log.\n\n"
          "Exit code: 0 done; 125 rwlease failed, or one of the logs cannot be read: the others are\n"
          "told all the same.\n\n"
          "Example: RWLEASE_TRACE=/tmp/t rwlease run /scratch/x -- true; rwlease trace /tmp/t\n";
  return text.str();
}

}  // namespace rwlease::cli
