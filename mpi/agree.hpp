// How every collective call begins: all ranks say what they are about to do, and find out whether they all do the same.
#pragma once

#include "communicator.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace rwlease::mpi::detail {

enum class Call : std::uint64_t { construct, acquire, try_acquire, check, publish, release, close, finalize };

struct Ballot {
  static constexpr std::uint64_t no_lease = std::numeric_limits<std::uint64_t>::max();

  Call call;
  std::array<std::uint64_t, 3> arguments{};  // what must be equal; see argument_name() in agree.cpp
  std::uint64_t oldest_lease = no_lease;     // the smallest serial number among the leases alive on this rank
  bool able = true;                          // false: this rank had no memory left to take part
};

// One agreement. Collective; also a barrier: no rank ends it before all have begun it. A single reduction of a fixed
// size: each value v is sent as v and ~v, whose maxima belong together only when all are equal.
//
// Because every call begins like this, ranks that get out of step with each other end up here instead of waiting for
// each other for ever.
class Agreement {
 public:
  // Begins. `communicator` and `path`, which is for errors, must outlive the object.
  Agreement(Communicator& communicator, const Ballot& ballot, const std::string& path);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  // Have all ranks voted? Does not block.
  bool complete() { return communicator_.test(request_); }

  // Blocks until they have; returns the smallest oldest_lease of any rank. Throws, the same on every rank: UsageError
  // saying which rank did what else than rank 0 (found out by four more small collectives), Error when a rank was not
  // able.
  std::uint64_t conclude();

 private:
  static constexpr std::size_t words = 10;

  Communicator& communicator_;
  const Ballot ballot_;
  const std::string& path_;
  std::array<std::uint64_t, words> own_;
  std::array<std::uint64_t, words> greatest_{};
  MPI_Request request_;
};

}  // namespace rwlease::mpi::detail
