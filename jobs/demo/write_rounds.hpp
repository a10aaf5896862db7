// The communicator's work: rewrite the data set, several times, letting others in between.
#pragma once

#include "account.hpp"
#include "options.hpp"

#include <mpi.h>

namespace demo {

// Collective. Every round takes a write lease for the communicator, rewrites the data in place (each rank its part),
// publishes the manifest and releases. The root notes each round in the account. Throws on all ranks alike: Violation
// when somebody else was at the data set, std::exception otherwise. Only a failure of MPI itself may strike one rank
// alone.
void write_rounds(MPI_Comm communicator, const Options& options, const Account& account);

}  // namespace demo
