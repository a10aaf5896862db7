#include "child.hpp"
#include "command.hpp"
#include "holder_id.hpp"
#include "keeper.hpp"
#include "output.hpp"
#include "run_options.hpp"
#include "signals.hpp"
#include "supervisor.hpp"
#include "waiting_line.hpp"

#include <rwlease/lock.hpp>

#include <unistd.h>

#include <filesystem>

namespace rwlease::cli {
namespace {

ChildEnvironment child_environment(const RunRequest& request) {
  return {std::filesystem::absolute(request.path).string(), std::string(to_string(request.mode)), holder_id()};
}

// The command's group counts for the proof of death only when all that works under the lease is in it.
Options options_for(const RunRequest& request, const Child& child) {
  Options options = request.options;
  if (options.sole) options.process_group = child.group();
  return options;
}

void announce_waiting(Lock& lock, const std::string& path) {
  lock.on_waiting([path, schedule = WaitingSchedule()](const Obstacle& obstacle) mutable {
    if (schedule.is_due(obstacle.waited)) say(waiting_line(obstacle, path, std::chrono::system_clock::now()));
  });
}

int run(const RunRequest& request) {
  // The order matters: signals wait from here on, and the fork comes before every thread and every lease.
  SignalInbox inbox;
  Child child(request.command, child_environment(request), inbox);
  Lock lock(request.path, options_for(request, child));
  announce_waiting(lock, request.path);
  Keeper keeper(lock, request.mode, request.deadline());
  Supervisor supervisor(request, inbox, child, keeper);
  const int code = supervisor.run();
  if (supervisor.is_abandoned()) ::_exit(code);
  return code;
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  const std::optional<RunRequest> request = parse_run(arguments);
  if (request) return run(*request);
  write_stdout(run_help());
  return exit_ok;
}

}  // namespace rwlease::cli
