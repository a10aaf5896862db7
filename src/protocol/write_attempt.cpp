#include "protocol/write_attempt.hpp"

#include "protocol/failure.hpp"
#include "protocol/fence.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::protocol {

std::unique_ptr<Attempt> make_write_attempt(const Site& site) { return std::make_unique<WriteAttempt>(site); }

WriteAttempt::~WriteAttempt() { withdraw(); }

Progress WriteAttempt::step() {
  try {
    return advance();
  } catch (...) {
    withdraw();
    throw;
  }
}

Progress WriteAttempt::advance() {
  // Twice over: once for an attempt that finds itself evicted after a long stop and starts over.
  for (int turn = 0; turn < 2; ++turn) {
    if (phase_ == Phase::idle) prepare();
    if (!keep_alive()) {
      start_over();
      continue;
    }
    if (phase_ == Phase::prepared && !claim()) return Progress::wait;
    if (phase_ == Phase::draining && !drain()) return Progress::wait;
    if (phase_ == Phase::draining && enter()) return Progress::held;
    start_over();
  }
  return Progress::wait;
}

Grant WriteAttempt::take() {
  Grant grant{std::move(*marker_), fence_, std::move(leftovers_)};
  marker_.reset();
  phase_ = Phase::idle;
  return grant;
}

std::vector<std::string> WriteAttempt::in_the_way() const {
  return phase_ == Phase::draining ? draining_ : gate_.in_the_way();
}

Attempt::Awaited WriteAttempt::awaited() const {
  if (phase_ == Phase::draining) return {readers_name, ""};
  return {"", writer_name};
}

std::optional<Nanoseconds> WriteAttempt::next_beat() const {
  if (!marker_) return std::nullopt;
  return looked_at_ == 0 ? next_beat_ : Nanoseconds(0);
}

std::string WriteAttempt::hidden_directory() const { return in_readers(claim_prefix + marker_->name()); }

// The claim is made ready where nobody counts it, so that claim and identity appear in one step.
void WriteAttempt::prepare() {
  marker_.emplace(site_, new_id(site_));
  phase_ = Phase::prepared;
  next_beat_ = site_.clock->boot() + site_.terms.interval;
  const std::string hidden = hidden_directory();
  fs::Result result = site_.directory->make_directory(hidden, site_.directory_mode());
  if (result.error() == EEXIST) result = fs::Result();  // an own creation whose reply was lost
  if (result.ok()) result = marker_->create(site_, hidden + "/" + marker_->name());
  if (!result.ok()) fail("preparing claim in", site_.readers_path(), result);
}

bool WriteAttempt::claim() {
  // A gate that opens and is closed again before we are through it: a few turns, then poll like everybody.
  constexpr int turns = 3;
  for (int i = 0; i < turns; ++i) {
    if (waiting_ && !gate_.open()) return false;
    if (rename_claim()) return true;
    waiting_ = true;
  }
  return false;
}

// Succeeds only where `writer` is absent or empty.
bool WriteAttempt::rename_claim() {
  const fs::Result result = site_.directory->rename(hidden_directory(), writer_name);
  if (result.ok()) {
    marker_->moved_to(in_writer(marker_->name()));
    phase_ = Phase::draining;
    list_again();
    return true;
  }
  if (result.not_empty() || result.error() == ENOTDIR) return false;
  claim_unknown_ = true;
  fail("claiming", site_.directory->path(), result);
}

bool WriteAttempt::drain() {
  // Each turn has seen somebody leave.
  constexpr int turns = 64;
  for (int i = 0; i < turns; ++i) {
    drop_those_who_left();
    if (!draining_.empty()) return false;
    if (listed_nobody_) return true;
    const fs::Result changed = change_directory_itself(site_, readers_name);
    if (!changed.ok()) fail("changing", site_.readers_path(), changed);
    list_again();
  }
  return false;
}

// Right after an own change of readers/.
void WriteAttempt::list_again() {
  listing_ = list_readers(site_);
  draining_.clear();
  leftovers_.clear();
  for (const fs::Entry& entry : listing_) {
    if (counts_as_reader(entry.name)) {
      draining_.push_back(in_readers(entry.name));
      readers_.listed(draining_.back());
    } else if (!fence_number(entry.name)) {
      leftovers_.push_back(in_readers(entry.name));
    }
  }
  listed_nobody_ = draining_.empty();
  look_at_all_ = Nanoseconds(0);
  looked_at_ = 0;
}

// One look at the first that is left is a poll; all are looked at often enough for the observer's window.
void WriteAttempt::drop_those_who_left() {
  if (draining_.empty()) return;
  const Nanoseconds now = site_.clock->boot();
  if (now >= look_at_all_) return go_through_all(now);
  const auto gone = [this](const std::string& path) { return readers_.inspect(path) != Finding::present; };
  draining_.erase(draining_.begin(), std::find_if_not(draining_.begin(), draining_.end(), gone));
}

// A part at a time where they are many, so that the own heartbeat, the deadline and a cancel get their turn.
void WriteAttempt::go_through_all(Nanoseconds now) {
  const Nanoseconds stop = now + std::min<Nanoseconds>(site_.terms.interval / 8, std::chrono::milliseconds(50));
  std::size_t kept = looked_at_;
  std::size_t next = looked_at_;
  do {
    if (readers_.inspect(draining_[next]) == Finding::present) std::swap(draining_[kept++], draining_[next]);
    ++next;
  } while (next < draining_.size() && site_.clock->boot() < stop);
  const auto begin = draining_.begin();
  draining_.erase(begin + static_cast<std::ptrdiff_t>(kept), begin + static_cast<std::ptrdiff_t>(next));
  looked_at_ = kept < draining_.size() ? kept : 0;
  if (looked_at_ != 0) return;
  look_at_all_ = now + site_.terms.lease;
  for (const std::string& path : draining_) look_at_all_ = std::min(look_at_all_, now + readers_.pace(path));
}

// False when the lease ran out on the way: then the number is not good either.
bool WriteAttempt::enter() {
  fence_ = draw_fence(site_, listing_);
  if (!marker_->validity().in_force(*site_.clock)) return false;
  phase_ = Phase::held;
  return true;
}

// The owner shows life from the marker's creation on. False when the marker is gone or its lease ran out.
bool WriteAttempt::keep_alive() {
  if (!marker_->validity().in_force(*site_.clock)) return false;
  const Nanoseconds now = site_.clock->boot();
  if (now < next_beat_) return true;
  const Beat beat = marker_->beat(site_);
  next_beat_ = now + pause_after(beat, site_.terms);
  return beat != Beat::gone && marker_->validity().in_force(*site_.clock);
}

void WriteAttempt::start_over() {
  site_.say(Severity::info, "claim on " + site_.directory->path() + " ran out while it was waiting; claiming anew");
  withdraw();
}

// The marker in the hidden directory first, then the one in writer/, then the hidden directory: in this order a claim's
// rename that the server carries out late brings only an empty directory into place.
void WriteAttempt::withdraw() noexcept {
  if (!marker_) return;
  const bool claimed = phase_ == Phase::draining || phase_ == Phase::held;
  fs::Result first;
  const auto keep = [&first](fs::Result result) {
    if (first.ok()) first = result;
  };
  if (!claimed) keep(remove_entry(site_, hidden_directory() + "/" + marker_->name()));
  if (claim_unknown_) forget_name(site_, writer_name);
  if (claimed || claim_unknown_) keep(remove_entry(site_, in_writer(marker_->name())));
  if (!claimed) keep(remove_directory_entry(site_, hidden_directory()));
  if (claimed || claim_unknown_) {
    const fs::Result result = remove_directory_entry(site_, writer_name);
    if (!result.not_empty() && result.error() != ENOTDIR) keep(result);
  }
  if (!first.ok()) site_.say(Severity::warning, "withdrawing from " + site_.directory->path() + ": " + first.text());
  marker_.reset();
  draining_.clear();
  claim_unknown_ = false;
  waiting_ = false;
  look_at_all_ = Nanoseconds(0);
  looked_at_ = 0;
  phase_ = Phase::idle;
}

}  // namespace rwlease::protocol
