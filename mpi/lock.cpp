#include "session.hpp"

#include <rwlease/mpi.hpp>

#include <utility>

namespace rwlease::mpi {

Lock::Lock(MPI_Comm communicator, const std::filesystem::path& name, const Options& options, int root,
           const Policy& policy)
    : session_(detail::Session::open(communicator, name, options, root, policy)) {}

Lock::~Lock() = default;

Lease Lock::acquire(Mode mode, std::chrono::nanoseconds timeout, const Cancel* cancel) {
  return Lease(session_, session_->acquire(mode, timeout, cancel));
}

Request Lock::acquire_async(Mode mode, std::chrono::nanoseconds timeout) {
  return Request(session_, session_->begin_acquire(mode, timeout));
}

std::optional<Lease> Lock::try_acquire(Mode mode) {
  auto hold = session_->try_acquire(mode);
  if (!hold) return std::nullopt;
  return Lease(session_, std::move(hold));
}

void Lock::close() { session_->close(); }

int Lock::rank() const noexcept { return session_->rank(); }
int Lock::size() const noexcept { return session_->size(); }
int Lock::root() const noexcept { return session_->root(); }
const std::filesystem::path& Lock::name() const noexcept { return session_->name(); }

}  // namespace rwlease::mpi
