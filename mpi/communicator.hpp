// A lock's own communicator: the few collectives it needs, each waited for patiently, each failure a typed error.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace rwlease::mpi::detail {

// Throws UsageError for MPI_COMM_NULL and intercommunicators. Local.
void require_intracommunicator(MPI_Comm communicator, const std::string& path);

// A duplicate of the application's communicator that returns errors. All methods but rank() and size() are collective
// and throw MpiError, which names `path`. The destructor frees nothing, because freeing is collective.
class Communicator {
 public:
  Communicator(MPI_Comm original, std::string path);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // For each word its greatest value on any rank, on every rank. No rank leaves before all have entered.
  void maximum(const std::uint64_t* words, std::uint64_t* result, int count);

  // The same in two steps: begun here, complete when test() says so. Both arrays stay in place until then.
  MPI_Request begin_maximum(const std::uint64_t* words, std::uint64_t* result, int count);
  bool test(MPI_Request& request) const;
  void wait(MPI_Request& request) const;

  // Copies root's bytes to every rank.
  void broadcast(void* data, std::size_t bytes, int root);

  // No rank leaves before all have entered.
  void barrier();

  void free();

 private:
  void require(int code, const char* call) const;
  void finish(MPI_Request& request, int code, const char* call) const;

  std::string path_;
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace rwlease::mpi::detail
