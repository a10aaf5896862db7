#include "command.hpp"
#include "exit_codes.hpp"
#include "interruptible.hpp"
#include "lockfile_options.hpp"
#include "lockfile_run.hpp"
#include "output.hpp"
#include "probe/interrupt.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

namespace rwlease::cli {
namespace {

constexpr int exit_not_ours = 1;
constexpr int exit_free = 1;

void say_holder(const LockfileRequest& request, const std::optional<LockOwner>& owner) {
  if (request.quiet) return;
  say(request.path + " is held by " + (owner ? to_string(*owner) : "somebody"));
}

int create(const LockfileRequest& request) {
  SoftLock lock(request.path, request.options);
  const LockResult result = lock.acquire(&probe::interruption());
  if (!result) {
    say_holder(request, result.owner);
    return exit_not_obtained;
  }
  // Whoever sent a signal does not expect a lock: it goes with the object.
  if (probe::interruption().cancelled()) throw Cancelled("making lock file", request.path, "interrupted");
  lock.leave();
  return exit_ok;
}

int check(const LockfileRequest& request) {
  const auto owner = SoftLock(request.path, request.options).owner();
  if (!owner) return exit_free;
  const bool dead = owner->liveness == Liveness::dead;
  if (!request.quiet) write_stdout(to_string(*owner) + (owner->why.empty() ? "" : " (" + owner->why + ")") + "\n");
  return dead ? exit_free : exit_ok;
}

int refuse(const LockfileRequest& request, const SoftLock& lock) {
  const auto owner = lock.owner();
  const bool removes = request.action == LockfileRequest::Action::remove;
  if (owner) {
    say(request.path + " was not made by the calling process, but by " + to_string(*owner) +
        (removes ? "; --force removes it all the same" : ""));
  } else {
    say(request.path + " is not there: nobody holds it");
  }
  return exit_not_ours;
}

int touch(const LockfileRequest& request) {
  SoftLock lock(request.path, request.options);
  if (!lock.adopt()) return refuse(request, lock);
  const bool touched = lock.touch();
  lock.leave();
  if (!touched) say(request.path + ": no sign of life could be given");
  return touched ? exit_ok : exit_not_ours;
}

// A directory may be anything; only for locks of that kind it is a lock for sure.
bool is_unlikely_lock(const LockfileRequest& request) {
  std::error_code ignored;
  return request.options.primitive != Primitive::directory &&
         std::filesystem::symlink_status(request.path, ignored).type() == std::filesystem::file_type::directory;
}

int remove(const LockfileRequest& request) {
  SoftLock lock(request.path, request.options);
  if (request.force) {
    if (is_unlikely_lock(request)) {
      say(request.path + " is a directory, and was left alone; if it is a lock made by mkdir, add --primitive mkdir");
      return exit_not_ours;
    }
    lock.break_lock();
    return exit_ok;
  }
  if (lock.adopt()) {
    lock.release();
    return exit_ok;
  }
  return lock.owner() ? refuse(request, lock) : exit_ok;
}

}  // namespace

int lockfile_command(const std::vector<std::string>& arguments) {
  const std::optional<LockfileRequest> request = parse_lockfile(arguments);
  if (!request) {
    write_stdout(lockfile_help());
    return exit_ok;
  }
  switch (request->action) {
    case LockfileRequest::Action::create:
      return interruptible([&request] { return create(*request); });
    case LockfileRequest::Action::check:
      return check(*request);
    case LockfileRequest::Action::touch:
      return interruptible([&request] { return touch(*request); });
    case LockfileRequest::Action::remove:
      return interruptible([&request] { return remove(*request); });
    case LockfileRequest::Action::run:
      break;
  }
  return run_under_lockfile(*request);
}

}  // namespace rwlease::cli
