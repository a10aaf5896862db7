// A clock that moves when the test says so.
#pragma once

#include "fs/clock.hpp"

namespace rwlease::test {

using fs::Nanoseconds;

// Both readings move together, as on a machine that runs; apart where a test pauses the machine or sets its wall
// clock. One thread.
class ManualClock final : public fs::Clock {
 public:
  explicit ManualClock(Nanoseconds boot = std::chrono::hours(1), Nanoseconds real = std::chrono::hours(24 * 365 * 56))
      : boot_(boot), real_(real) {}

  Nanoseconds boot() const noexcept override {
    const Nanoseconds now = boot_;
    pass(tick_);
    return now;
  }
  Nanoseconds real() const noexcept override { return real_; }

  void advance(Nanoseconds duration) noexcept { pass(duration); }

  // A paused machine (forwards), or a wall clock that was set.
  void advance_real(Nanoseconds duration) noexcept { real_ += duration; }

  // From now on each reading of boot() takes this long.
  void set_tick(Nanoseconds tick) noexcept { tick_ = tick; }

 private:
  void pass(Nanoseconds duration) const noexcept {
    boot_ += duration;
    real_ += duration;
  }

  mutable Nanoseconds boot_;
  mutable Nanoseconds real_;
  Nanoseconds tick_{0};
};

}  // namespace rwlease::test
