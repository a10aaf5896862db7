#include "run_options.hpp"

#include "arguments.hpp"
#include "slurm_oracle.hpp"
#include "values.hpp"

#include <algorithm>
#include <sstream>

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
  add("write",
      "take an exclusive lease (the default); either alone is for all PATHs, wherever it stands; with both, each goes "
      "before its PATHs");
  add("timeout", text("S"), "give up after S seconds; 0: try once (default: wait for ever)");
  add("interval", text("S"), "show every S seconds that the holder lives (default: a third of --lease, or 30)");
  add("lease", text("S"),
      "others may take over when the holder showed no life for S seconds, or for their own --lease where that is "
      "longer (default: 3 intervals)");
  add("on-loss", text("ACT"),
      "when the lease is lost: term ends COMMAND with TERM and KILL (the default), kill with KILL at once, warn lets "
      "it go on");
  add("grace", text("S"), "seconds between TERM and KILL, when COMMAND is ended (default: 10)");
  add("label", text("TEXT"), "shown to those who wait, and by 'rwlease status'");
  add("timeout-exit-code,E", text("N"), "exit code when --timeout passes (default: 124)");
  add("fence-file", text("FILE"), "write the fencing number into FILE before COMMAND starts, a line for each PATH");
  add("local",
      "COMMAND and all it starts stay on this host: when they die, others need not wait for the lease to pass");
  add("no-renew", "do not try to get back a lease that was lost in an outage while COMMAND is being ended");
  add("slurm", "when Slurm says that a holder's job is over, do not wait for its lease to pass; its word is trusted");
  add("group", "share the lock with the group of its directory, not only with yourself");
  add("help,h", "show this help");
  return options;
}

// One of --read and --write is meant for all PATHs, wherever it stands. Where there are both, each goes before its own.
std::vector<WantedLock> parse_locks(const Values& values, const ParsedArguments& parsed) {
  constexpr std::size_t most_locks = 64;  // their fencing numbers fit into one write to a pipe
  if (some_paths(command_name, parsed.positional).size() > most_locks) {
    throw BadUsage("at most " + std::to_string(most_locks) + " PATHs are taken", command_name);
  }
  const bool mixed = values.has("read") && values.has("write");
  std::optional<Mode> mode;
  if (!mixed) mode = values.has("read") ? Mode::read : Mode::write;
  std::vector<WantedLock> locks;
  for (const auto& [option, word] : parsed.sequence) {
    if (mixed && option == "read") mode = Mode::read;
    if (mixed && option == "write") mode = Mode::write;
    if (!option.empty()) continue;
    if (!mode)
      throw BadUsage("to read or to write '" + word + "'? With both, each goes before its PATHs", command_name);
    locks.push_back({word, *mode});
  }
  const auto wanted = [&locks](Mode m) {
    return std::any_of(locks.begin(), locks.end(), [m](const WantedLock& lock) { return lock.mode == m; });
  };
  if (mixed && !(wanted(Mode::read) && wanted(Mode::write))) {
    throw BadUsage("with both --read and --write, each goes before its PATHs", command_name);
  }
  return locks;
}

OnLoss parse_on_loss(const std::string& word) {
  if (word == "term") return OnLoss::term;
  if (word == "kill") return OnLoss::kill;
  if (word == "warn") return OnLoss::warn;
  throw BadUsage("--on-loss takes term, kill or warn; '" + word + "' is none", command_name);
}

// A waiter must look several times within a lease, so short leases ask for short pauses.
void fit_poll_bounds(Options& options) {
  options.poll_max = std::min({options.poll_max, options.interval, options.effective_lease() / 5});
  options.poll_min = std::min(options.poll_min, options.poll_max);
}

Options lock_options(const Values& values) {
  Options options;
  options.lease = values.seconds("lease");
  // Within its bounds, so that a lease out of its own is told as such.
  if (options.lease)
    options.interval = std::clamp<milliseconds>(*options.lease / 3, milliseconds(10), std::chrono::hours(24));
  if (const auto interval = values.seconds("interval")) options.interval = *interval;
  options.label = values.text("label").value_or("");
  options.sharing = values.has("group") ? Sharing::group : Sharing::owner;
  options.renew = !values.has("no-renew");
  options.sole = values.has("local");
  if (values.has("slurm")) options.job_oracle = slurm_oracle();
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
  const Values values(command_name, parsed.options);
  if (values.has("help")) return std::nullopt;
  RunRequest request;
  request.locks = parse_locks(values, parsed);
  request.command = command_of(split);
  request.on_loss = parse_on_loss(values.text("on-loss").value_or("term"));
  request.fence_file = values.text("fence-file");
  if (request.fence_file && request.fence_file->empty()) {
    throw BadUsage("--fence-file takes the name of a file", command_name);
  }
  request.timeout = values.seconds("timeout");
  request.grace = values.seconds("grace").value_or(request.grace);
  request.timeout_exit_code = values.exit_code("timeout-exit-code").value_or(request.timeout_exit_code);
  request.options = lock_options(values);
  return request;
}

std::string RunRequest::names() const {
  const std::string& first = locks.front().path;
  return locks.size() == 1 ? first : first + " and " + std::to_string(locks.size() - 1) + " more";
}

std::string run_help() {
  std::ostringstream help;
  help << "Usage: rwlease run [OPTION]... PATH... -- COMMAND [ARGUMENT]...\n"
          "       rwlease run [OPTION]... --read PATH... --write PATH... -- COMMAND [ARGUMENT]...\n\n"
          "Runs COMMAND while holding a lease on PATH: an exclusive one, or a shared one with\n"
          "--read. PATH need not exist; the lock is kept beside it, in PATH.rwlease. While it\n"
          "waits, it says on stderr for whom. When the lease is lost, COMMAND is ended. Of\n"
          "several PATHs it gets all or none, in an order that cannot deadlock.\n\n"
       << description()
       << "\nCOMMAND runs in a process group of its own. Signals sent to rwlease go on to that\n"
          "group; while the lease is waited for, they end the wait. When COMMAND ends, the\n"
          "lease is kept until all that it started on this host has ended too: by itself\n"
          "within --grace, then by TERM, and by KILL after --grace once more. When rwlease is\n"
          "killed, all of it is killed.\n\n"
          "COMMAND finds RWLEASE_PATH, RWLEASE_MODE (read, write), RWLEASE_FENCE (a number that\n"
          "grows with every write lease; 0 for --read), each with a line for each PATH, and\n"
          "RWLEASE_ID (host.pid of the holder) in its environment.\n\n"
          "Seconds may have a fraction: 0.5.\n\n"
          "Exit code: COMMAND's own; 128+N where signal N ended it or the wait;\n"
          "  123  the lease was lost        126  COMMAND cannot be executed\n"
          "  124  --timeout passed (-E)     127  COMMAND was not found\n"
          "  125  rwlease failed\n\n"
          "Example: rwlease run --write --timeout 600 /scratch/data -- srun ./rebuild\n";
  return help.str();
}

}  // namespace rwlease::cli
