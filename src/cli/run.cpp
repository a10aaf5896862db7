#include "command.hpp"
#include "output.hpp"
#include "supervised.hpp"
#include "trace_wish.hpp"
#include "waiting_line.hpp"

#include <rwlease/lock.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace rwlease::cli {
namespace {

// The command's group counts for the proof of death only when all that works under the lease is in it.
Options options_for(const RunRequest& request, const Child& child) {
  Options options = request.options;
  if (options.sole) options.process_group = child.group();
  return options;
}

void announce_waiting(Lock& lock, const std::string& path) {
  const auto lease = lock.options().effective_lease();
  lock.on_waiting([path, lease, schedule = WaitingSchedule(), silence = Silence()](const Obstacle& obstacle) mutable {
    const auto silent = silence.of(obstacle);
    if (!schedule.is_due(obstacle.waited)) return;
    say(waiting_line(obstacle, path, std::chrono::system_clock::now()) + patience_text(obstacle, silent, lease));
  });
}

int run(const RunRequest& request) {
  // The order matters: signals wait from here on, and the fork comes before every thread and every lease.
  SignalInbox inbox;
  Child child(request.command, child_environment(request), inbox);
  LeaseHolding holding;
  for (const WantedLock& wanted : request.locks) {
    auto lock = std::make_unique<Lock>(wanted.path, options_for(request, child));
    announce_waiting(*lock, wanted.path);
    holding.add(std::move(lock), wanted.mode);
  }
  if (request.fence_file) holding.write_fences_to(*request.fence_file);
  return run_supervised(request, inbox, child, holding);
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  const std::optional<RunRequest> request = parse_run(arguments);
  if (request) {
    warn_of_missing_trace();
    return run(*request);
  }
  write_stdout(run_help());
  return exit_ok;
}

}  // namespace rwlease::cli
