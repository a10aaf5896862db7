// Waiting for MPI without burning a core.
#pragma once

#include <chrono>

namespace rwlease::mpi::detail {

// Spaces out the tests of one wait: none at first, then sleeps of 50 microseconds, growing to 10 milliseconds. A long
// wait costs well under 2 % of a core, and the last sleep adds at most its own length to it. (MPI_Wait would spin, for
// minutes, on the cores that the lease's present holder computes on.)
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  void pause() noexcept;

  // Since this object was made.
  std::chrono::nanoseconds waited() const noexcept { return Clock::now() - began_; }

 private:
  Clock::time_point began_ = Clock::now();
  int tests_ = 0;
  long next_nap_ns_ = 50'000;
};

}  // namespace rwlease::mpi::detail
