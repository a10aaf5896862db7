#include "options.hpp"

#include <boost/program_options.hpp>

#include <iostream>
#include <stdexcept>

namespace demo {
namespace {

namespace po = boost::program_options;

constexpr const char* usage =
    "Usage: mpirun -n N rwlease-demo write --lock PATH --data DIR [--rounds N] [--size MB]\n"
    "       rwlease run --read PATH -- rwlease-demo check --data DIR\n"
    "       rwlease run --write PATH -- rwlease-demo rewrite --data DIR [--size MB]\n"
    "Rewrites a data set in place under a write lease, as one communicator or one process, or checks under a read\n"
    "lease that it is one whole version. Exit code: 0 all is well, 1 a violation was seen, 2 another failure.\n";

// Options as they stand on the command line, before they mean anything.
struct Raw {
  std::string mode, lock, data, account;
  unsigned megabytes = 256;
  double interval_s = 30;
  double lease_s = 90;
};

po::options_description describe(Raw& raw, Options& options) {
  po::options_description described("Options");
  described.add_options()("help,h", "this text");
  described.add_options()("mode", po::value(&raw.mode), "write, check or rewrite (the first argument)");
  described.add_options()("lock", po::value(&raw.lock), "name to lock");
  described.add_options()("data", po::value(&raw.data), "directory of the data set");
  described.add_options()("account", po::value(&raw.account), "file to add a line to for each act");
  described.add_options()("rounds", po::value(&options.rounds)->default_value(1), "how often to write");
  described.add_options()("size", po::value(&raw.megabytes)->default_value(raw.megabytes), "of the data set, in MB");
  described.add_options()("parts", po::value(&options.parts)->default_value(4), "how many parts `rewrite` makes");
  described.add_options()("ranks", po::value(&options.ranks), "refuse to `write` with another number of ranks");
  described.add_options()("asked", po::value(&options.asked_at), "when the lease was asked for (date +%s.%N)");
  described.add_options()("interval", po::value(&raw.interval_s)->default_value(raw.interval_s), "heartbeat, in s");
  described.add_options()("lease", po::value(&raw.lease_s)->default_value(raw.lease_s), "in s");
  return described;
}

std::chrono::milliseconds from_seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

void demand(bool met, const char* sentence) {
  if (!met) throw std::runtime_error(sentence);
}

void refuse_nonsense(const Options& options) {
  const bool known = options.mode == "write" || options.mode == "check" || options.mode == "rewrite";
  demand(known, "say what to do: write, check or rewrite");
  demand(!options.data.empty(), "say where the data set is: --data DIR");
  demand(options.mode != "write" || !options.lock.empty(), "say what to lock: --lock PATH");
  demand(options.size > 0 && options.parts > 0, "a data set has at least one MB and one part");
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Raw raw;
  Options options;
  const po::options_description described = describe(raw, options);
  po::positional_options_description positional;
  positional.add("mode", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(described).positional(positional).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << usage << described;
    return std::nullopt;
  }
  options.mode = raw.mode;
  options.lock = raw.lock;
  options.data = raw.data;
  options.account = raw.account;
  options.size = std::uint64_t{raw.megabytes} << 20U;
  options.interval = from_seconds(raw.interval_s);
  options.lease = from_seconds(raw.lease_s);
  refuse_nonsense(options);
  return options;
}

}  // namespace demo
