#include <rwlease/mpi.hpp>

#include <utility>

namespace rwlease::mpi {

MpiError::MpiError(std::string operation, std::string path, const std::string& cause, int mpi_code)
    : Error(std::move(operation), std::move(path), cause), mpi_code_(mpi_code) {}

MpiError::~MpiError() = default;

PeerTimeout::PeerTimeout(std::string operation, std::string path, const std::string& cause)
    : MpiError(std::move(operation), std::move(path), cause, MPI_ERR_PENDING) {}

PeerTimeout::~PeerTimeout() = default;

}  // namespace rwlease::mpi
