#include "hold.hpp"

#include <unistd.h>

namespace rwlease::mpi::detail {

Hold::Hold(Mode mode) noexcept : mode_(mode), process_(getpid()) {}

bool Hold::valid() const noexcept { return remaining() > std::chrono::nanoseconds::zero(); }

// The root asks the core, which knows more than any deadline handed out. A forked child holds nothing.
std::chrono::nanoseconds Hold::remaining() const noexcept {
  if (over() || getpid() != process_) return std::chrono::nanoseconds::zero();
  return core ? core.remaining() : deadline.remaining(Instant::now());
}

}  // namespace rwlease::mpi::detail
