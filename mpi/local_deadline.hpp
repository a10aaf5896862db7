// Until when one rank may work under a lease that the root keeps alive, by the rank's own clocks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace rwlease::mpi::detail {

// Two clocks of this host, in nanoseconds. CLOCK_BOOTTIME goes on through a suspend but stands still while a
// hypervisor pauses the machine; CLOCK_REALTIME, corrected afterwards, shows such a pause.
struct Instant {
  std::int64_t real = 0;
  std::int64_t boot = 0;

  static Instant now() noexcept;
};

// How it stays on the safe side: the rank reads its clocks, then enters a barrier; the root leaves that barrier, then
// reads how much is left. So the rank's reading is the earlier one, and adding what was left to it ends no later than
// the root's own deadline. The lease's margin, already taken off by the root, covers clocks that run at different
// rates.
//
// When CLOCK_REALTIME has run ahead of CLOCK_BOOTTIME by more than the margin since the grant, the deadline counts as
// passed until the next grant.
//
// grant() and revoke() come from one thread at a time, remaining() from any.
class LocalDeadline {
 public:
  void grant(Instant before_barrier, std::chrono::nanoseconds left, std::chrono::nanoseconds margin) noexcept;
  void revoke() noexcept;

  // Zero when it has passed or was never granted.
  std::chrono::nanoseconds remaining(Instant at) const noexcept;

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();

  std::atomic<std::int64_t> until_boot_{never};
  std::atomic<std::int64_t> greatest_lead_{never};  // of the real clock over the boot clock
};

}  // namespace rwlease::mpi::detail
