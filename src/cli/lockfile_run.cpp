#include "lockfile_run.hpp"

#include "supervised.hpp"

namespace rwlease::cli {

int run_under_lockfile(const LockfileRequest& request) {
  // The order matters: signals wait from here on, and the fork comes before every thread and every lock.
  SignalInbox inbox;
  Child child(request.run.command, child_environment(request.run), inbox);
  SoftHolding holding(request.path, request.options);
  return run_supervised(request.run, inbox, child, holding);
}

}  // namespace rwlease::cli
