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

Communicator::Communicator(MPI_Comm original, std::string path) : path_(std::move(path)) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(original, &handle_, &request);
  finish(request, code, "MPI_Comm_idup");
  require(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  require(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  require(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

void Communicator::maximum(const std::uint64_t* words, std::uint64_t* result, int count) {
  MPI_Request request = begin_maximum(words, result, count);
  wait(request);
}

MPI_Request Communicator::begin_maximum(const std::uint64_t* words, std::uint64_t* result, int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Iallreduce(words, result, count, MPI_UINT64_T, MPI_MAX, handle_, &request), "MPI_Iallreduce");
  return request;
}

bool Communicator::test(MPI_Request& request) const {
  int done = 0;
  require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void Communicator::wait(MPI_Request& request) const { require(wait_patiently(request), "MPI_Test"); }

void Communicator::broadcast(void* data, std::size_t bytes, int root) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, handle_, &request);
  finish(request, code, "MPI_Ibcast");
}

void Communicator::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibarrier(handle_, &request);
  finish(request, code, "MPI_Ibarrier");
}

void Communicator::free() {
  if (handle_ != MPI_COMM_NULL) require(MPI_Comm_free(&handle_), "MPI_Comm_free");
}

void Communicator::require(int code, const char* call) const {
  if (code != MPI_SUCCESS) throw MpiError(std::string("calling ") + call + " for", path_, text_of(code), code);
}

void Communicator::finish(MPI_Request& request, int code, const char* call) const {
  require(code, call);
  require(wait_patiently(request), call);
}

}  // namespace rwlease::mpi::detail
