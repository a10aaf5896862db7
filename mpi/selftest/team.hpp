// A communicator and the collectives that the self-test needs, each waited for without spinning.
#pragma once

#include "waiting.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rwlease::selftest {

// MPI errors end the job, as MPI's default has it. All methods but rank(), size() and handle() are collective.
class Team {
 public:
  // Takes the communicator over; `waiting` must outlive the team.
  Team(MPI_Comm communicator, Waiting& waiting);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  MPI_Comm handle() const noexcept { return communicator_; }
  Waiting& waiting() const noexcept { return waiting_; }

  // A new communicator of those that say the same colour. The ranks keep their order.
  MPI_Comm split(int colour) const;

  void barrier() const;

  // Every rank's number, on all ranks.
  std::vector<std::int64_t> gather(std::int64_t own) const;

  // Every rank's text, on all ranks.
  std::vector<std::string> gather(const std::string& own) const;

  std::int64_t from(int root, std::int64_t own) const;
  std::string from(int root, std::string own) const;

  // Position by position over all ranks, on all ranks; all give equally many.
  std::vector<std::uint64_t> sum(const std::vector<std::uint64_t>& own) const;
  std::vector<std::uint64_t> greatest(const std::vector<std::uint64_t>& own) const;
  std::vector<std::uint64_t> least(const std::vector<std::uint64_t>& own) const;

  bool any(bool own) const;

 private:
  std::vector<std::uint64_t> reduce(const std::vector<std::uint64_t>& own, MPI_Op operation) const;

  MPI_Comm communicator_;
  Waiting& waiting_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace rwlease::selftest
