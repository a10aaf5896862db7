// The two clocks that leases go by, behind a seam so that tests can drive them.
#pragma once

#include <chrono>

namespace rwlease::fs {

using Nanoseconds = std::chrono::nanoseconds;

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  // Time since boot, suspend included (CLOCK_BOOTTIME).
  virtual Nanoseconds boot() const noexcept = 0;

  // Wall clock. Never compared with anybody else's; it only shows that the machine stood still without noticing.
  virtual Nanoseconds real() const noexcept = 0;
};

// One reading of both. The boot clock is read last, so that a stop in between makes a deadline look nearer.
struct Instant {
  Nanoseconds real{};
  Nanoseconds boot{};

  static Instant now(const Clock& clock) noexcept {
    Instant instant;
    instant.real = clock.real();
    instant.boot = clock.boot();
    return instant;
  }

  // How far the wall clock is ahead.
  Nanoseconds ahead() const noexcept { return real - boot; }
};

class SystemClock final : public Clock {
 public:
  Nanoseconds boot() const noexcept override;
  Nanoseconds real() const noexcept override;
};

}  // namespace rwlease::fs
