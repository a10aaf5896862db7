// A duplicate of the application's communicator: the few operations the locks need, each failure a typed error.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rwlease::mpi::detail {

// Throws UsageError for MPI_COMM_NULL and intercommunicators. Local.
void require_intracommunicator(MPI_Comm communicator, const std::string& path);

// It returns errors instead of aborting. What begins an operation gives the request to test() it with; the memory that
// was handed over stays in place until then, whatever happens. All throw MpiError, which names `path`. The destructor
// frees nothing, because freeing is collective.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Once, collective. Waits for the other ranks no longer than `limit` (PeerTimeout); the object stays in place for
  // ever then.
  void duplicate(MPI_Comm original, std::string path, std::chrono::nanoseconds limit);

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  MPI_Comm handle() const noexcept { return handle_; }

  // For each word its greatest value on any rank, on every rank. Complete on no rank before all have begun.
  MPI_Request begin_maximum(const std::uint64_t* words, std::uint64_t* result, int count);

  // Copies root's bytes to every rank.
  MPI_Request begin_broadcast(void* data, std::size_t bytes, int root);

  // Complete on no rank before all have begun.
  MPI_Request begin_barrier();

  // Does not block. A request that is complete stays so.
  bool test(MPI_Request& request) const;

  // Short messages between two ranks. `data` of what is sent stays in place for ever.
  void send(const void* data, int bytes, int to, int tag) const;

  // Takes one that has come; false when there is none. Longer ones are an error.
  bool receive(void* data, int bytes, int tag, int& from) const;

  // Collective. Nothing where nothing was duplicated.
  void free();

 private:
  void require(int code, const char* call) const;

  std::string path_;
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace rwlease::mpi::detail
