// Waiting for MPI without burning a core.
#pragma once

#include <mpi.h>

namespace rwlease::mpi::detail {

// Spaces out the tests of one wait: none at first, then sleeps of 50 microseconds, growing to 10 milliseconds. A long
// wait costs well under 2 % of a core, and the last sleep adds at most its own length to it.
class Patience {
 public:
  void pause() noexcept;

 private:
  int tests_ = 0;
  long next_nap_ns_ = 50'000;
};

// Blocks until the request is complete and returns what MPI_Test returned. (MPI_Wait would spin, for minutes, on the
// cores that the lease's present holder computes on.)
int wait_patiently(MPI_Request& request) noexcept;

}  // namespace rwlease::mpi::detail
