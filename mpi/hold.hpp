// One rank's share in a lease of the communicator.
#pragma once

#include "local_deadline.hpp"

#include <sys/types.h>
#include <rwlease/lease.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace rwlease::mpi::detail {

// Made before the acquire, so that nothing can fail once the lease is granted. valid() and remaining() may be called
// from any thread, all else from the session's.
class Hold {
 public:
  explicit Hold(Mode mode) noexcept;

  bool valid() const noexcept;
  std::chrono::nanoseconds remaining() const noexcept;

  Mode mode() const noexcept { return mode_; }

  // This rank has called release() or close(): whatever the clocks say, it works under the lease no more.
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  void set_over(bool over) noexcept { over_.store(over, std::memory_order_release); }

  // Set once, when granted. The serial number is the same on all ranks.
  std::uint64_t serial = 0;
  std::uint64_t fence = 0;

  // On every rank but the root: its deadline, and the name of the root's marker, zero-terminated.
  static constexpr std::size_t longest_marker = 192;
  LocalDeadline deadline;
  std::array<char, longest_marker> marker{};

  // On the root only: the core's lease; the latest moment, by this host's boot clock, at which another rank may still
  // take the lease for valid; whether the application has destroyed its object without releasing it.
  rwlease::Lease core;
  std::int64_t relied_on_until = std::numeric_limits<std::int64_t>::min();
  bool abandoned = false;

 private:
  Mode mode_;
  pid_t process_;
  std::atomic<bool> over_{false};
};

}  // namespace rwlease::mpi::detail
