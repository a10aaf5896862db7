#include "acquire.hpp"

#include "session.hpp"

#include <rwlease/on_behalf.hpp>

#include <utility>

namespace rwlease::mpi::detail {

// A rank without memory for its share says so when the ranks agree.
Acquire::Acquire(Session& session, const Attempt& attempt)
    : session_(session),
      attempt_(attempt),
      hold_(session.prepare(attempt.mode)),
      phase_began_(std::chrono::steady_clock::now()) {
  Ballot ballot = session_.ballot(
      attempt.call, {static_cast<std::uint64_t>(attempt.mode), static_cast<std::uint64_t>(attempt.timeout.count())});
  ballot.able = hold_ != nullptr;
  session_.begin_to_agree(ballot);
}

Acquire::~Acquire() { cancel(); }

bool Acquire::advance() noexcept {
  if (phase_ == Phase::over) return true;
  try {
    while (phase_ != Phase::over && step()) {
    }
    if (phase_ != Phase::over) look_for_the_others();
  } catch (...) {
    error_ = std::current_exception();
    if (phase_ == Phase::granting) session_.abandon(*hold_);
    enter(Phase::over);
  }
  return phase_ == Phase::over;
}

// True when there may be more to do at once.
bool Acquire::step() {
  switch (phase_) {
    case Phase::agreeing:
      if (!session_.agreement_->complete()) return false;
      session_.conclude_agreement(Session::acquiring(attempt_.mode));
      begin_taking();
      return true;
    case Phase::taking:
      if (beside_ && !beside_->done()) return false;
      beside_.reset();
      begin_telling();
      return true;
    case Phase::telling:
      if (!session_.telling_->complete()) return false;
      session_.result_.throw_if_error();
      begin_granting();
      return true;
    case Phase::granting:
      if (!session_.extension_->complete()) return false;
      enter(Phase::over);
      return false;
    case Phase::over:
      break;
  }
  return false;
}

// The serial number is the same on all ranks, because they have agreed on this and all acquires before.
void Acquire::begin_taking() {
  hold_->serial = session_.next_serial_++;
  session_.result_.clear();
  if (!session_.is_root()) return begin_telling();
  enter(Phase::taking);
  if (!attempt_.beside) return take();
  session_.result_.run(Session::acquiring(attempt_.mode), session_.path(), [&] {
    own_cancel_.emplace();
    if (cancel_wanted_) own_cancel_->cancel();
    beside_.emplace([this, caller = thread_number()] {
      const OnBehalfOf us(caller);
      take();
    });
  });
}

// On the root, on whatever thread. Until the deadlines are handed out no rank takes the lease for valid, so up to there
// the root may give it back on its own.
void Acquire::take() noexcept {
  Result& result = session_.result_;
  result.run(Session::acquiring(attempt_.mode), session_.path(), [&] {
    const Cancel* cancel = attempt_.beside ? &*own_cancel_ : attempt_.cancel;
    if (attempt_.call == Call::acquire) {
      hold_->core = session_.core_->acquire(attempt_.mode, Deadline::after(attempt_.timeout), cancel);
    } else if (auto lease = session_.core_->try_acquire(attempt_.mode)) {
      hold_->core = std::move(*lease);
    } else {
      result.record.outcome = ResultRecord::Outcome::refused;
    }
    result.record.fence = hold_->core.fence();
  });
}

void Acquire::begin_telling() {
  session_.begin_to_tell();
  enter(Phase::telling);
}

void Acquire::begin_granting() {
  refused_ = session_.result_.record.outcome == ResultRecord::Outcome::refused;
  if (refused_) return enter(Phase::over);
  hold_->fence = session_.result_.record.fence;
  session_.holds_.push_back(hold_);
  enter(Phase::granting);
  session_.begin_to_extend(*hold_);
}

void Acquire::enter(Phase phase) noexcept {
  phase_ = phase;
  phase_began_ = std::chrono::steady_clock::now();
}

// The root's own work has no limit but the timeout, which is the root's to keep.
void Acquire::look_for_the_others() {
  const bool for_peers = phase_ == Phase::agreeing || phase_ == Phase::granting;
  session_.look_for_the_others(Session::acquiring(attempt_.mode), std::chrono::steady_clock::now() - phase_began_,
                               for_peers ? session_.peer_limit_ : forever);
}

std::shared_ptr<Hold> Acquire::outcome() const {
  if (error_) std::rethrow_exception(error_);
  return refused_ ? nullptr : hold_;
}

void Acquire::cancel() noexcept {
  cancel_wanted_ = true;
  if (own_cancel_) own_cancel_->cancel();
}

void Acquire::abandon() noexcept {
  abandoned_ = true;
  cancel();
}

}  // namespace rwlease::mpi::detail
