// How every collective call begins: all ranks say what they are about to do, and find out whether they all do the same.
#pragma once

#include "communicator.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace rwlease::mpi::detail {

enum class Call : std::uint8_t { construct, acquire, try_acquire, check, publish, downgrade, release, close, finalize };

struct Ballot {
  static constexpr std::uint64_t no_lease = std::numeric_limits<std::uint64_t>::max();

  Call call;
  std::uint32_t lock = 0;                    // its number among those of the communicator
  std::array<std::uint64_t, 3> arguments{};  // what must be equal; see argument_name() in agree.cpp
  std::uint64_t oldest_lease = no_lease;     // the smallest serial number among the leases alive on this rank
  bool able = true;                          // false: this rank had no memory left to take part
};

// One agreement. Collective; also a barrier: no rank ends it before all have begun it. A single reduction of a fixed
// size tells everything: for each value it finds the greatest and the smallest, and the lowest rank that gave it.
//
// Because every call on any lock of a communicator begins like this, ranks that get out of step with each other end up
// here instead of waiting for each other for ever.
class Agreement {
 public:
  // The path of a lock by its number; empty for one that is not known.
  using NameOf = std::function<std::string(std::uint32_t)>;

  // Begins. The object stays in place until complete() says true, or for ever.
  Agreement(Communicator& communicator, const Ballot& ballot);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  // Have all ranks voted? Does not block.
  bool complete() { return communicator_.test(request_); }

  // Once complete: did all ranks make the same call on the same lock, whatever its arguments?
  bool same_call() const noexcept;

  // Once complete: the smallest oldest_lease of any rank. Throws, the same on every rank: UsageError saying which rank
  // did what else than another, Error when a rank was not able. `path` is for errors.
  std::uint64_t conclude(const std::string& path, const NameOf& name_of) const;

 private:
  static constexpr std::size_t words = 10;

  Communicator& communicator_;
  std::array<std::uint64_t, words> own_;
  std::array<std::uint64_t, words> greatest_{};
  MPI_Request request_;
};

}  // namespace rwlease::mpi::detail
