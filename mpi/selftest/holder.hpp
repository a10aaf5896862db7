// One rank's way through a per-process lease, with the referee told at each end.
#pragma once

#include "actor.hpp"
#include "context.hpp"

#include <rwlease/lock.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace rwlease::selftest {

class Holder {
 public:
  // A lock on `name` in the self-test's directory.
  Holder(Context& context, PhaseLog& log, const std::string& name)
      : context_(context), log_(log), lock_(context.path(name), context.terms.options()) {}

  // In and out once. False when the lease was not had.
  bool stay(Mode mode, std::chrono::nanoseconds hold);

 private:
  bool acquire(Mode mode);
  void release(Mode mode);

  Context& context_;
  PhaseLog& log_;
  Lock lock_;
  Lease lease_;
  std::shared_ptr<std::atomic<bool>> lapsed_;
  Actor actor_;  // last, so that its thread ends before what it uses
};

}  // namespace rwlease::selftest
