#include "session.hpp"

#include <rwlease/mpi.hpp>

#include <utility>

namespace rwlease::mpi {

Lease::Lease() noexcept = default;

Lease::Lease(std::shared_ptr<detail::Session> session, std::shared_ptr<detail::Hold> hold) noexcept
    : session_(std::move(session)), hold_(std::move(hold)) {}

Lease::Lease(Lease&&) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
  Lease taken(std::move(other));
  session_.swap(taken.session_);
  hold_.swap(taken.hold_);
  return *this;
}

Lease::~Lease() {
  if (hold_) session_->abandon(*hold_);
}

Mode Lease::mode() const noexcept { return hold_ ? hold_->mode() : Mode::read; }

bool Lease::valid() const noexcept { return hold_ && hold_->valid(); }

bool Lease::verify() noexcept { return hold_ && session_->verify(*hold_); }

std::chrono::nanoseconds Lease::remaining() const noexcept {
  return hold_ ? hold_->remaining() : std::chrono::nanoseconds::zero();
}

std::uint64_t Lease::fence() const noexcept { return hold_ ? hold_->fence : 0; }

void Lease::on_lost(std::function<void(LossReason)> callback) {
  if (hold_ && hold_->core) hold_->core.on_lost(std::move(callback));
}

LeaseState Lease::check() { return hold_ ? session_->check(*hold_) : LeaseState::released; }

void Lease::publish(const std::filesystem::path& finished, const std::filesystem::path& target) {
  if (!hold_) throw LeaseLost("publishing", target.string(), "this object holds no lease");
  session_->publish(*hold_, finished, target);
}

Lease Lease::downgrade() && {
  if (!hold_) throw LeaseLost("downgrading", "", "this object holds no lease");
  auto reading = session_->downgrade(*hold_);
  hold_.reset();
  return Lease(std::move(session_), std::move(reading));
}

ReleaseResult Lease::release() { return hold_ ? session_->release(*hold_) : ReleaseResult::already_lost; }

Lease::operator bool() const noexcept { return hold_ && !hold_->over(); }

}  // namespace rwlease::mpi
