// Steps of a communicator that all of its ranks pass, or none.
#pragma once

#include <mpi.h>

#include <functional>

namespace demo {

// Collective: runs `step` on this rank, then learns how the others fared. When it threw on any rank, every rank throws:
// its own exception, or else one that says that another rank failed. So no rank goes on into a collective call that
// the others never reach. `step` itself may only make collective calls that it makes on every rank.
void together(MPI_Comm communicator, const std::function<void()>& step);

// Throws std::runtime_error with MPI's own words unless `code` is MPI_SUCCESS.
void expect_mpi(int code, const char* operation);

int rank_of(MPI_Comm communicator);
int size_of(MPI_Comm communicator);

}  // namespace demo
