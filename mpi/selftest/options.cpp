#include "options.hpp"

#include "arguments.hpp"
#include "values.hpp"

#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace po = boost::program_options;

namespace rwlease::selftest {
namespace {

using std::chrono::milliseconds;

constexpr double most_minutes = 7.0 * 24 * 60;
constexpr milliseconds least_lease{500};
constexpr milliseconds most_lease{3'600'000};

constexpr std::array<std::pair<std::string_view, Breakage>, 7> breakages{{
    {"claim", Breakage::claim},
    {"exclusion", Breakage::exclusion},
    {"collective", Breakage::collective},
    {"preference", Breakage::preference},
    {"stale", Breakage::stale},
    {"heartbeat", Breakage::heartbeat},
    {"eviction", Breakage::eviction},
}};

po::options_description description() {
  po::options_description options("Options");
  options.add_options()                                                                               //
      ("minutes", po::value<std::string>()->value_name("M"), "how long to test, about (default: 2)")  //
      ("lease", po::value<std::string>()->value_name("SECONDS"),
       "the leases' duration (default: a twentieth of the time, 1 to 6 seconds)")            //
      ("json", po::value<std::string>()->value_name("FILE"), "write a report for programs")  //
      ("plot", po::value<std::string>()->value_name("FILE"),
       "draw latencies and who held when (needs gnuplot; FILE ends in .svg or .png)")  //
      ("version", "show the version")                                                  //
      ("help,h", "show this help");
  return options;
}

// For tests of the self-test; docs/selftest.md has them, --help does not.
po::options_description with_hidden() {
  po::options_description all;
  all.add(description());
  all.add_options()("break", po::value<std::string>())("pretend-nodes", po::value<int>()->default_value(0));
  return all;
}

milliseconds duration_of(const std::string& minutes) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(minutes, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != minutes.size() || !(value > 0) || value > most_minutes) {
    throw cli::BadUsage("--minutes takes a number above 0, such as 2 or 0.5, up to a week; '" + minutes + "' is none");
  }
  return milliseconds(static_cast<std::int64_t>(value * 60'000));
}

milliseconds checked(milliseconds lease) {
  if (lease < least_lease || lease > most_lease) throw cli::BadUsage("--lease takes 0.5 to 3600 seconds");
  return lease;
}

bool ends_in(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

Breakage breakage_of(const std::string& text) {
  for (const auto& [name, breakage] : breakages) {
    if (name == text) return breakage;
  }
  throw cli::BadUsage("--break does not know '" + text + "'");
}

}  // namespace

Settings parse_settings(const std::vector<std::string>& arguments) {
  const cli::ParsedArguments parsed = cli::parse("", with_hidden(), arguments);
  const cli::Values values("", parsed.options);
  Settings settings;
  settings.help = values.has("help");
  settings.version = values.has("version");
  if (settings.help || settings.version) return settings;
  if (parsed.positional.size() != 1 || parsed.positional[0].empty()) {
    throw cli::BadUsage("one DIR is needed: the shared directory to test");
  }
  settings.directory = parsed.positional[0];
  if (const auto minutes = values.text("minutes")) settings.duration = duration_of(*minutes);
  if (const auto lease = values.seconds("lease")) settings.lease = checked(*lease);
  if (const auto fault = values.text("break")) settings.breakage = breakage_of(*fault);
  settings.json = values.text("json").value_or("");
  settings.plot = values.text("plot").value_or("");
  settings.pretended_nodes = parsed.options["pretend-nodes"].as<int>();
  if (!settings.plot.empty() && !ends_in(settings.plot, ".svg") && !ends_in(settings.plot, ".png")) {
    throw cli::BadUsage("--plot takes a file that ends in .svg or .png");
  }
  return settings;
}

std::string help_text() {
  std::ostringstream text;
  text << "Usage: srun -N4 -n64 rwlease-selftest DIR [--minutes M] [--json FILE] [--plot FILE]\n"
          "       mpirun -n 8 rwlease-selftest DIR ...\n\n"
          "Tests whether rwlease can be relied on in the shared directory DIR: the ranks hammer\n"
          "leases there, and MPI, not the file system, judges what they see of each other.\n"
          "Start it on the nodes that will share DIR, with at least two ranks.\n\n"
       << description()
       << "\nThe verdict is one line on stdout, CERTIFIED or REFUSED with the reason; progress goes\n"
          "to stderr. What it makes in DIR it removes.\n\n"
          "Exit code: 0 certified; 1 refused; 2 wrongly called, or DIR cannot be used at all.\n";
  return text.str();
}

}  // namespace rwlease::selftest
