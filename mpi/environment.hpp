// Whether MPI may be called here and now.
#pragma once

#include <string>

namespace rwlease::mpi::detail {

// Initialised and not finalised. Any thread, any time.
bool mpi_is_active() noexcept;

// Throws UsageError when MPI is not initialised, already finalised, or when the thread level forbids this thread to
// call it. `operation` and `path` go into the error.
void require_mpi(const std::string& operation, const std::string& path);

}  // namespace rwlease::mpi::detail
