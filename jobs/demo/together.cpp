#include "together.hpp"

#include <exception>
#include <stdexcept>
#include <string>

namespace demo {

void together(MPI_Comm communicator, const std::function<void()>& step) {
  std::exception_ptr own;
  try {
    step();
  } catch (...) {
    own = std::current_exception();
  }
  int failed = own ? 1 : 0;
  expect_mpi(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, communicator), "comparing results");
  if (own) std::rethrow_exception(own);
  if (failed != 0) throw std::runtime_error("another rank failed");
}

void expect_mpi(int code, const char* operation) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string(operation) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

int rank_of(MPI_Comm communicator) {
  int rank = 0;
  expect_mpi(MPI_Comm_rank(communicator, &rank), "asking for the rank");
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  expect_mpi(MPI_Comm_size(communicator, &size), "asking for the number of ranks");
  return size;
}

}  // namespace demo
