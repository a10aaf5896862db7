#include "environment.hpp"

#include <mpi.h>
#include <rwlease/error.hpp>

namespace rwlease::mpi::detail {
namespace {

bool initialised() noexcept {
  int flag = 0;
  return MPI_Initialized(&flag) == MPI_SUCCESS && flag != 0;
}

bool finalised() noexcept {
  int flag = 0;
  return MPI_Finalized(&flag) != MPI_SUCCESS || flag != 0;
}

bool thread_may_call() noexcept {
  int level = MPI_THREAD_SINGLE;
  int is_main = 0;
  if (MPI_Query_thread(&level) != MPI_SUCCESS) return false;
  if (level >= MPI_THREAD_SERIALIZED) return true;
  return MPI_Is_thread_main(&is_main) == MPI_SUCCESS && is_main != 0;
}

}  // namespace

bool mpi_is_active() noexcept { return initialised() && !finalised(); }

void require_mpi(const std::string& operation, const std::string& path) {
  if (!initialised())
    throw UsageError(operation, path, "MPI is not initialised; call MPI_Init or MPI_Init_thread first");
  if (finalised()) throw UsageError(operation, path, "MPI is finalised already");
  if (!thread_may_call()) {
    throw UsageError(operation, path,
                     "this thread may not call MPI; call from the main thread, or initialise MPI with "
                     "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
  }
}

}  // namespace rwlease::mpi::detail
