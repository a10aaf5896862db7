// Runs schedules from the command line; README.md beside it says how.
#include "sim/report.hpp"
#include "sim/simulation.hpp"

#include <boost/program_options.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

namespace po = boost::program_options;
using namespace rwlease::sim;

constexpr int exit_usage = 2;

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t last = 10'000;
  bool trace = false;
  double seconds = 0;  // 0: no limit
  bool all = false;
  bool must_meet_all = false;
  Variant variant = Variant::none;
};

std::uint64_t number(const std::string& text) {
  std::size_t used = 0;
  const std::uint64_t value = std::stoull(text, &used);
  if (used != text.size()) throw std::invalid_argument(text);
  return value;
}

void take_seeds(Arguments& arguments, const std::string& seeds) {
  const std::size_t colon = seeds.find(':');
  if (colon == std::string::npos) throw po::error("--seeds takes FIRST:LAST");
  try {
    arguments.first = number(seeds.substr(0, colon));
    arguments.last = number(seeds.substr(colon + 1));
  } catch (const std::logic_error&) {
    throw po::error("--seeds takes two numbers, FIRST:LAST");
  }
}

Arguments read(int count, char** words) {
  Arguments arguments;
  po::options_description options(
      "Usage: tests/sim/run [OPTION…]\nRuns schedules on a simulated NFS, one for each seed");
  std::string variant;
  options.add_options()("help", "this text")("seed", po::value<std::uint64_t>(), "this one")(
      "seeds", po::value<std::string>(), "these, FIRST:LAST (default 1:10000)")(
      "trace", po::bool_switch(&arguments.trace), "print all that happens")(
      "seconds", po::value<double>(&arguments.seconds), "stop after that long")("all", po::bool_switch(&arguments.all),
                                                                                "go on after a violation")(
      "must-meet-all", po::bool_switch(&arguments.must_meet_all), "fail when some kind of accident never happened")(
      "variant", po::value<std::string>(&variant), "with a deliberate fault in the protocol; \"list\" lists them");
  po::variables_map given;
  po::store(po::parse_command_line(count, words, options), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << options;
    std::exit(EXIT_SUCCESS);
  }
  if (given.count("seeds") != 0) take_seeds(arguments, given["seeds"].as<std::string>());
  if (given.count("seed") != 0) arguments.first = arguments.last = given["seed"].as<std::uint64_t>();
  if (variant == "list") {
    for (const Variant each : all_variants) std::cout << to_string(each) << '\n';
    std::exit(EXIT_SUCCESS);
  }
  if (!variant.empty()) arguments.variant = variant_of(variant);
  return arguments;
}

// Once more, to show how it came to it.
void show(std::uint64_t seed, const Outcome& outcome, Variant variant) {
  std::cout << "seed " << seed << ": " << outcome.description << "\nIts schedule:\n" << std::flush;
  Statistics unused;
  Simulation simulation(unused);
  simulation.trace_to(stdout);
  const Outcome again = simulation.run(seed, variant);
  std::fflush(stdout);
  if (again.digest != outcome.digest) std::cout << "it did not repeat itself exactly\n";
}

bool met_all(const Statistics& statistics) {
  const auto missing = never_met(statistics);
  for (const std::string& name : missing) std::cout << "never met: " << name << '\n';
  return missing.empty();
}

int run(const Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  Statistics statistics;
  Simulation simulation(statistics);
  if (arguments.trace) simulation.trace_to(stdout);
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::uint64_t violations = 0;
  for (std::uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
    if (arguments.seconds > 0 && seed % 8 == 0 && elapsed() > arguments.seconds) break;
    const Outcome outcome = simulation.run(seed, arguments.variant);
    if (outcome.good()) continue;
    ++violations;
    if (arguments.all || arguments.trace) {
      std::cout << "seed " << seed << ": " << outcome.description << std::endl;
    } else {
      show(seed, outcome, arguments.variant);
      break;
    }
  }
  print(std::cout, statistics);
  std::cout << "violations                " << violations << "\nschedules in a second     "
            << static_cast<std::uint64_t>(static_cast<double>(statistics.schedules) / elapsed()) << '\n';
  return violations == 0 && (!arguments.must_meet_all || met_all(statistics)) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(read(count, words));
  } catch (const po::error& error) {
    std::cerr << "tests/sim/run: " << error.what() << '\n';
    return exit_usage;
  } catch (const std::exception& error) {
    std::cerr << "tests/sim/run: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
