// Moving every rank's deadline on to what the root knows.
#pragma once

#include "communicator.hpp"
#include "hold.hpp"

#include <rwlease/lease.hpp>

#include <array>
#include <chrono>
#include <cstdint>

namespace rwlease::mpi::detail {

// What the root tells about a lease at one moment. No padding: it is sent as bytes.
struct Standing {
  LeaseState state = LeaseState::released;
  std::int32_t unused = 0;
  std::int64_t remaining_ns = 0;
  std::array<char, Hold::longest_marker> marker{};
};

// Collective: a barrier, then the root's verdict. A barrier of its own, although the ranks have just agreed: agreeing
// may have taken as long as the slowest rank took to come, and clocks read before that would give the early ranks
// deadlines that have all but passed.
class Extension {
 public:
  // Begins. `hold` and this object stay in place until complete() says true, or for ever.
  Extension(Communicator& communicator, int root, Hold& hold, std::chrono::nanoseconds margin);
  Extension(const Extension&) = delete;
  Extension& operator=(const Extension&) = delete;

  // Does not block. When it is true, this rank's deadline is what the verdict allows.
  bool complete();

  LeaseState verdict() const noexcept { return standing_.state; }

 private:
  bool is_root() const noexcept { return communicator_.rank() == root_; }
  void take_stand();
  void apply() noexcept;

  Communicator& communicator_;
  const int root_;
  Hold& hold_;
  const std::chrono::nanoseconds margin_;
  const Instant before_ = Instant::now();
  Standing standing_;
  bool all_here_ = false;
  bool applied_ = false;
  MPI_Request request_;
};

}  // namespace rwlease::mpi::detail
