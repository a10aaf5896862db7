#include "session.hpp"

#include <rwlease/mpi.hpp>

#include <utility>

namespace rwlease::mpi {

Request::Request() noexcept = default;

Request::Request(std::shared_ptr<detail::Session> session, std::uint64_t ticket) noexcept
    : session_(std::move(session)), ticket_(ticket) {}

Request::Request(Request&&) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
  Request taken(std::move(other));
  session_.swap(taken.session_);
  std::swap(ticket_, taken.ticket_);
  return *this;
}

Request::~Request() {
  if (session_) session_->abandon_acquire(ticket_);
}

bool Request::test() { return !session_ || session_->test_acquire(ticket_); }

// What only concerns this call (a wrong thread) leaves the request as it was.
Lease Request::wait() {
  if (!session_) throw UsageError("waiting for a request", "", "this object stands for none");
  session_->require_callable("waiting for a request for");
  const auto session = std::exchange(session_, nullptr);
  return Lease(session, session->finish_acquire(ticket_));
}

void Request::cancel() {
  if (!session_) return;
  session_->require_callable("cancelling a request for");
  std::exchange(session_, nullptr)->cancel_acquire(ticket_);
}

Request::operator bool() const noexcept { return session_ != nullptr; }

}  // namespace rwlease::mpi
