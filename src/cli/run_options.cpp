#include "run_options.hpp"

#include "arguments.hpp"
#include "duration.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* command_name = "run";

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add("read", "take a shared lease: other readers may hold one too");
  add("write", "take an exclusive lease (the default)");
  add("timeout", text("S"), "give up after S seconds; 0: try once (default: wait for ever)");
  add("interval", text("S"), "show every S seconds that the holder lives (default: a third of --lease, or 30)");
  add("lease", text("S"), "others may take over when the holder showed no life for S seconds (default: 3 intervals)");
  add("grace", text("S"), "when the lease is lost: seconds between TERM and KILL for COMMAND (default: 10)");
  add("label", text("TEXT"), "shown to those who wait, and by 'rwlease status'");
  add("timeout-exit-code,E", text("N"), "exit code when --timeout passes (default: 124)");
  add("local",
      "COMMAND and all it starts stay on this host: when they die, others need not wait for the lease to pass");
  add("no-renew", "do not try to get back a lease that was lost in an outage while COMMAND is being ended");
  add("group", "share the lock with the group of its directory, not only with yourself");
  add("help,h", "show this help");
  return options;
}

// An option's words, each turned into one value; BadUsage where it cannot.
class Values {
 public:
  explicit Values(const po::variables_map& options) : options_(options) {}

  bool has(const char* name) const { return options_.count(name) != 0; }

  std::optional<std::string> text(const char* name) const {
    if (!has(name)) return std::nullopt;
    return options_[name].as<std::string>();
  }

  std::optional<milliseconds> seconds(const char* name) const {
    const std::optional<std::string> given = text(name);
    if (!given) return std::nullopt;
    try {
      return parse_seconds(std::string("--") + name, *given);
    } catch (const std::invalid_argument& error) {
      throw BadUsage(error.what(), command_name);
    }
  }

 private:
  const po::variables_map& options_;
};

int parse_exit_code(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 3 && text.find_first_not_of("0123456789") == std::string::npos;
  const int code = digits ? std::stoi(text) : -1;
  if (code < 0 || code > 255)
    throw BadUsage("-E takes an exit code from 0 to 255; '" + text + "' is none", command_name);
  return code;
}

Mode parse_mode(const Values& values) {
  if (values.has("read") && values.has("write")) {
    throw BadUsage("--read and --write exclude each other", command_name);
  }
  return values.has("read") ? Mode::read : Mode::write;
}

// A waiter must look several times within a lease, so short leases ask for short pauses.
void fit_poll_bounds(Options& options) {
  options.poll_max = std::min({options.poll_max, options.interval, options.effective_lease() / 5});
  options.poll_min = std::min(options.poll_min, options.poll_max);
}

Options lock_options(const Values& values) {
  Options options;
  options.lease = values.seconds("lease");
  if (options.lease) options.interval = *options.lease / 3;
  if (const auto interval = values.seconds("interval")) options.interval = *interval;
  options.label = values.text("label").value_or("");
  options.sharing = values.has("group") ? Sharing::group : Sharing::owner;
  options.renew = !values.has("no-renew");
  options.sole = values.has("local");
  fit_poll_bounds(options);
  options.validate();
  return options;
}

std::vector<std::string> command_of(const SplitArguments& split) {
  if (!split.after) throw BadUsage("which command? Write it after '--'", command_name);
  if (split.after->empty() || split.after->front().empty()) {
    throw BadUsage("there is no command after '--'", command_name);
  }
  return *split.after;
}

}  // namespace

std::optional<RunRequest> parse_run(const std::vector<std::string>& arguments) {
  const SplitArguments split = split_at_dashes(arguments);
  const ParsedArguments parsed = parse(command_name, description(), split.before);
  const Values values(parsed.options);
  if (values.has("help")) return std::nullopt;
  RunRequest request;
  request.mode = parse_mode(values);
  request.path = only_path(command_name, parsed.positional);
  request.command = command_of(split);
  request.timeout = values.seconds("timeout");
  request.grace = values.seconds("grace").value_or(request.grace);
  if (const auto code = values.text("timeout-exit-code")) request.timeout_exit_code = parse_exit_code(*code);
  request.options = lock_options(values);
  return request;
}

std::string run_help() {
  std::ostringstream help;
  help << "Usage: rwlease run [OPTION]... PATH -- COMMAND [ARGUMENT]...\n\n"
          "Runs COMMAND while holding a lease on PATH: an exclusive one, or a shared one with\n"
          "--read. PATH need not exist; the lock is kept beside it, in PATH.rwlease. While it\n"
          "waits, it says on stderr for whom. When the lease is lost, COMMAND is ended.\n\n"
       << description()
       << "\nCOMMAND runs in a process group of its own. Signals sent to rwlease go on to that\n"
          "group; while the lease is waited for, they end the wait. COMMAND finds RWLEASE_PATH,\n"
          "RWLEASE_MODE (read, write), RWLEASE_FENCE (a number that grows with every write\n"
          "lease; 0 for --read) and RWLEASE_ID (host.pid of the holder) in its environment.\n\n"
          "Seconds may have a fraction: 0.5.\n\n"
          "Exit code: COMMAND's own; 128+N where signal N ended it or the wait;\n"
          "  123  the lease was lost        126  COMMAND cannot be executed\n"
          "  124  --timeout passed (-E)     127  COMMAND was not found\n"
          "  125  rwlease failed\n";
  return help.str();
}

}  // namespace rwlease::cli
