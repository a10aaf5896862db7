#include <rwlease/error.hpp>
#include <rwlease/lease.hpp>

#include "runtime/hold.hpp"

#include <atomic>
#include <new>
#include <utility>

namespace rwlease {
namespace {

// A forked child must not even destroy what it inherited: another thread of the parent may have been inside. It keeps
// it instead, once for all.
void abandon(std::shared_ptr<runtime::Hold> hold) noexcept {
  struct Kept {
    std::shared_ptr<runtime::Hold> hold;
    Kept* next;
  };
  static std::atomic<Kept*> kept{nullptr};
  auto* entry = new (std::nothrow) Kept{std::move(hold), kept.load()};
  while (entry != nullptr && !kept.compare_exchange_weak(entry->next, entry)) {
  }
}

[[noreturn]] void refuse_nothing_held(const char* operation) {
  throw UsageError(operation, "", "this object holds no lease of this process");
}

}  // namespace

Lease::Lease() noexcept = default;

Lease::Lease(std::shared_ptr<runtime::Hold> hold, std::uint64_t object) noexcept
    : hold_(std::move(hold)), object_(object) {}

Lease::Lease(Lease&& other) noexcept : hold_(std::move(other.hold_)), object_(other.object_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    hold_ = std::move(other.hold_);
    object_ = other.object_;
  }
  return *this;
}

Lease::~Lease() { release(); }

Mode Lease::mode() const noexcept { return hold_ ? hold_->mode() : Mode::read; }

bool Lease::valid() const noexcept { return hold_ && !hold_->inherited() && hold_->valid(); }

LeaseState Lease::state() const noexcept {
  return hold_ && !hold_->inherited() ? hold_->state() : LeaseState::released;
}

bool Lease::verify() const noexcept { return hold_ && !hold_->inherited() && hold_->verify(); }

std::chrono::nanoseconds Lease::remaining() const noexcept {
  return hold_ && !hold_->inherited() ? hold_->remaining() : std::chrono::nanoseconds(0);
}

std::uint64_t Lease::fence() const noexcept { return hold_ ? hold_->fence() : 0; }

std::string Lease::marker() const { return hold_ && !hold_->inherited() ? hold_->marker() : std::string(); }

void Lease::on_lost(std::function<void(LossReason)> callback) {
  if (!hold_ || hold_->inherited()) refuse_nothing_held("setting on_lost");
  const auto hold = hold_;  // the callback may come, and release, before we are through
  hold->call_when_lost(object_, std::move(callback));
}

void Lease::on_renewed(std::function<void()> callback) {
  if (!hold_ || hold_->inherited()) refuse_nothing_held("setting on_renewed");
  hold_->call_when_renewed(object_, std::move(callback));
}

void Lease::publish(const std::filesystem::path& finished, const std::filesystem::path& target) {
  if (!hold_ || hold_->inherited()) refuse_nothing_held("publishing");
  hold_->publish(finished.string(), target.string());
}

Lease Lease::downgrade() && {
  if (!hold_ || hold_->inherited()) refuse_nothing_held("downgrading");
  auto reader = hold_->downgrade();
  hold_.reset();
  return Lease(std::move(reader), object_);
}

ReleaseResult Lease::release() noexcept {
  auto hold = std::move(hold_);
  hold_.reset();
  if (!hold) return ReleaseResult::already_lost;
  if (!hold->inherited()) return hold->leave(object_);
  abandon(std::move(hold));
  return ReleaseResult::invalid_after_fork;
}

}  // namespace rwlease
