#include "communicator.hpp"

#include "patient.hpp"

#include <rwlease/mpi.hpp>

#include <utility>

namespace rwlease::mpi::detail {
namespace {

std::string text_of(int mpi_code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(mpi_code, text, &length) != MPI_SUCCESS || length <= 0) {
    return "MPI error " + std::to_string(mpi_code);
  }
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace

void require_intracommunicator(MPI_Comm communicator, const std::string& path) {
  const char* operation = "making a lock on";
  if (communicator == MPI_COMM_NULL) {
    throw UsageError(operation, path,
                     "MPI_COMM_NULL has no ranks; only the members of a communicator make a lock on it");
  }
  int is_inter = 0;
  MPI_Comm_test_inter(communicator, &is_inter);
  if (is_inter != 0) {
    throw UsageError(operation, path, "this is an intercommunicator; merge it with MPI_Intercomm_merge first");
  }
}

void Communicator::duplicate(MPI_Comm original, std::string path, std::chrono::nanoseconds limit) {
  path_ = std::move(path);
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Comm_idup(original, &handle_, &request), "MPI_Comm_idup");
  Patience patience;
  while (!test(request)) {
    if (patience.waited() > limit) {
      throw PeerTimeout("duplicating a communicator for", path_, "not all of its ranks have come to make the lock");
    }
    patience.pause();
  }
  require(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  require(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  require(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

MPI_Request Communicator::begin_maximum(const std::uint64_t* words, std::uint64_t* result, int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Iallreduce(words, result, count, MPI_UINT64_T, MPI_MAX, handle_, &request), "MPI_Iallreduce");
  return request;
}

MPI_Request Communicator::begin_broadcast(void* data, std::size_t bytes, int root) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, handle_, &request), "MPI_Ibcast");
  return request;
}

MPI_Request Communicator::begin_barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibarrier(handle_, &request), "MPI_Ibarrier");
  return request;
}

bool Communicator::test(MPI_Request& request) const {
  int done = 0;
  require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

// Nobody waits for it: the receiver may never come.
void Communicator::send(const void* data, int bytes, int to, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Isend(data, bytes, MPI_BYTE, to, tag, handle_, &request), "MPI_Isend");
  require(MPI_Request_free(&request), "MPI_Request_free");
}

bool Communicator::receive(void* data, int bytes, int tag, int& from) const {
  int there = 0;
  MPI_Status status;
  require(MPI_Iprobe(MPI_ANY_SOURCE, tag, handle_, &there, &status), "MPI_Iprobe");
  if (there == 0) return false;
  from = status.MPI_SOURCE;
  require(MPI_Recv(data, bytes, MPI_BYTE, from, tag, handle_, MPI_STATUS_IGNORE), "MPI_Recv");
  return true;
}

void Communicator::free() {
  if (handle_ != MPI_COMM_NULL) require(MPI_Comm_free(&handle_), "MPI_Comm_free");
}

void Communicator::require(int code, const char* call) const {
  if (code != MPI_SUCCESS) throw MpiError(std::string("calling ") + call + " for", path_, text_of(code), code);
}

}  // namespace rwlease::mpi::detail
