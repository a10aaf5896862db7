// The holder's own rule: until when a lease is in force, by the holder's clocks alone.
#pragma once

#include "fs/clock.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace rwlease::protocol {

using fs::Instant;
using fs::Nanoseconds;

// In force from the moment before the marker was made, or before the last heartbeat that came back in time was sent,
// for the lease less the margin. Reading takes no lock and does no I/O; one thread at a time may write.
//
// CLOCK_BOOTTIME stands still while a hypervisor pauses the machine, the wall clock jumps when it goes on. So what the
// wall clock has run ahead counts as time that has passed, and when that is more than the margin the lease is over.
class Validity {
 public:
  Validity(Nanoseconds lease, Nanoseconds margin) noexcept : lease_(lease), margin_(margin) {}

  // The lease counts from `sent`, a reading taken before the proof of life was sent.
  void start(const Instant& sent) noexcept {
    until_.store((sent.boot + lease_ - margin_).count());
    ahead_.store(sent.ahead().count());
  }

  // Like start, but only while still in force: a heartbeat that comes back late proves nothing. True when it counted.
  bool extend(const Instant& sent, const fs::Clock& clock) noexcept {
    if (!in_force(clock)) return false;
    start(sent);
    return true;
  }

  // Zero when not in force.
  Nanoseconds remaining(const fs::Clock& clock) const noexcept {
    const Instant now = Instant::now(clock);
    const Nanoseconds stood_still = now.ahead() - Nanoseconds(ahead_.load());
    if (stood_still > margin_) return Nanoseconds(0);
    const Nanoseconds passed = now.boot + std::max(stood_still, Nanoseconds(0));
    const Nanoseconds left = Nanoseconds(until_.load()) - passed;
    return left > Nanoseconds(0) ? left : Nanoseconds(0);
  }

  bool in_force(const fs::Clock& clock) const noexcept { return remaining(clock) > Nanoseconds(0); }

  // Unless the machine stands still before.
  Nanoseconds until() const noexcept { return Nanoseconds(until_.load()); }
  Nanoseconds margin() const noexcept { return margin_; }

 private:
  const Nanoseconds lease_;
  const Nanoseconds margin_;
  std::atomic<std::int64_t> until_{INT64_MIN};
  std::atomic<std::int64_t> ahead_{0};
};

}  // namespace rwlease::protocol
