// What the refresher and the watcher do for a hold.
#include "log.hpp"
#include "runtime/hold_turn.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <utility>

namespace rwlease::runtime {
namespace {

constexpr Nanoseconds never = Nanoseconds::max();
constexpr Nanoseconds shortest_tick = std::chrono::milliseconds(5);

void log_failed_beat(const std::string& path, const std::exception& error) noexcept {
  try {
    log_line(LogLevel::warning, "heartbeat on " + path + ": " + error.what());
  } catch (const std::exception&) {
    // Out of memory for the line as well.
  }
}

}  // namespace

Nanoseconds Hold::refresh(Hold& hold) {
  try {
    const Turn turn(hold, Nanoseconds(0));
    if (!turn.taken()) return hold.soon();
    return hold.keep_alive();
  } catch (const std::exception& e) {
    // Only what the system itself is out of (memory, random bytes) comes here; the lease's deadline goes on.
    log_failed_beat(hold.site_.directory->path(), e);
    return hold.soon();
  }
}

Nanoseconds Hold::keep_alive() {
  static_cast<void>(valid());
  if (was_restored()) suspend();
  trace_change(status());
  if (ended()) return never;
  const Nanoseconds next = status() == HoldStatus::suspended ? renew() : beat();
  return sweep_if_due(next);
}

// From a checkpoint, on this host or another. That the boot id cannot be read says nothing.
bool Hold::was_restored() const {
  const std::string now = site_.host->boot_id();
  return !now.empty() && !boot_id_.empty() && now != boot_id_;
}

Nanoseconds Hold::beat() {
  const Nanoseconds now = clock().boot();
  if (now < next_beat_) return next_beat_;
  const protocol::Beat outcome = marker_.beat(site_);
  next_beat_ = now + protocol::pause_after(outcome, site_.terms);
  log_trouble("heartbeat", marker_.trouble());
  if (outcome == protocol::Beat::gone) {
    log_line(LogLevel::warning, "lease on " + site_.directory->path() + " lost: its marker is gone");
    trace_change(HoldStatus::lost);
    lose();
    return never;
  }
  look_for_leftovers();
  if (valid()) return next_beat_;
  instance_->runtime().watcher().hurry(this);
  return ended() ? never : Nanoseconds(0);
}

// Once for each cause in a row.
void Hold::log_trouble(const char* what, fs::Result trouble) {
  const int before = std::exchange(logged_trouble_, trouble.error());
  if (trouble.ok() || trouble.error() == before) return;
  log_line(LogLevel::warning,
           std::string(what) + " on " + site_.directory->path() + ": " + trouble.text() + "; trying again");
}

Nanoseconds Hold::renew() {
  instance_->runtime().watcher().hurry(this);
  const std::string was = marker_.name();
  const protocol::Renewal outcome = renewer_.renew(marker_);
  rearm();
  log_trouble("renewal of the lease", renewer_.trouble());
  if (outcome == protocol::Renewal::failed) return soon();
  if (outcome == protocol::Renewal::lost) {
    log_line(LogLevel::warning, "lease on " + site_.directory->path() + " lost: evicted while it was suspended");
    trace_change(HoldStatus::lost);
    lose();
    return never;
  }
  boot_id_ = site_.host->boot_id();
  HoldStatus expected = HoldStatus::suspended;
  slot_->status.compare_exchange_strong(expected, HoldStatus::active);
  traced_.store(HoldStatus::active);
  trace_new_id("renewed", was, marker_.name());
  log_line(LogLevel::info, "lease on " + site_.directory->path() + " renewed");
  instance_->runtime().watcher().hurry(this);
  next_beat_ = next_beat_by_deadline();
  return next_beat_;
}

// Once in a writer's hold that is long enough for a heartbeat, also where it would not look for itself.
void Hold::look_for_leftovers() {
  if (mode_ != Mode::write || looked_for_leftovers_) return;
  looked_for_leftovers_ = true;
  sweep_.add_from_lock_directory();
  sweeping_ = true;
}

// A writer clears away what crashes left, for as long as it holds.
Nanoseconds Hold::sweep_if_due(Nanoseconds next) {
  if (!sweeping_ || ended()) return next;
  const Nanoseconds now = clock().boot();
  if (now >= next_sweep_) {
    sweeping_ = sweep_.look();
    next_sweep_ = now + sweep_.pace();
  }
  return sweeping_ ? std::min(next, next_sweep_) : next;
}

// Reads clocks only: on time whatever the file system does.
Nanoseconds Hold::watch(Hold& hold) {
  const bool in_force = hold.valid();
  hold.tell_changes();
  if (hold.ended()) return never;
  hold.hurry_renewal();
  // The wall clock may run ahead at any time, so look now and then even when the deadline is far.
  const Nanoseconds tick = std::max(hold.site_.terms.margin / 2, shortest_tick);
  const Nanoseconds left = in_force ? hold.validity_->remaining(hold.clock()) : tick;
  return hold.clock().boot() + std::min(left, tick);
}

// Once for each suspension, which may come long before the next heartbeat.
void Hold::hurry_renewal() noexcept {
  const bool suspended = status() == HoldStatus::suspended;
  if (suspended && !renewal_hurried_) instance_->refresher().hurry(this);
  renewal_hurried_ = suspended;
}

void Hold::call_when_lost(std::uint64_t object, LostCallback callback) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    callbacks_of(object).lost.swap(callback);  // the old one is destroyed without the mutex
  }
  if (!valid()) instance_->runtime().watcher().hurry(this);
}

void Hold::call_when_renewed(std::uint64_t object, RenewedCallback callback) {
  // `callback` outlives the guard, so that the old one is destroyed without the mutex.
  const std::lock_guard<std::mutex> guard(mutex_);
  callbacks_of(object).renewed.swap(callback);
}

// Suspensions that were over before it asked are not its concern; one that lasts is.
Hold::Callbacks& Hold::callbacks_of(std::uint64_t object) {
  const auto [entry, fresh] = callbacks_.try_emplace(object);
  if (fresh) {
    const std::uint64_t past = suspensions_.load();
    entry->second.suspensions_told = status() == HoldStatus::suspended && past > 0 ? past - 1 : past;
  }
  return entry->second;
}

void Hold::tell_changes() noexcept {
  try {
    const auto calls = calls_due();
    for (const auto& call : calls) {
      try {
        call();
      } catch (...) {
        log_line(LogLevel::warning, "a callback of the lease on " + site_.directory->path() +
                                        " threw, which is ignored: " + text_of_current_exception());
      }
    }
  } catch (const std::exception&) {
    // Out of memory: the calls stay due.
  }
  const std::lock_guard<std::mutex> guard(mutex_);
  calling_back_ = 0;
  changed_->notify_all();
}

std::vector<std::function<void()>> Hold::calls_due() {
  std::vector<std::function<void()>> calls;
  const std::lock_guard<std::mutex> guard(mutex_);
  const std::uint64_t suspensions = suspensions_.load();
  const HoldStatus now = status();
  if (now == HoldStatus::released) return calls;
  for (auto& [object, callbacks] : callbacks_) add_calls(calls, callbacks, now, suspensions, reason_.load());
  if (!calls.empty()) calling_back_ = threads().current();
  return calls;
}

void Hold::add_calls(std::vector<std::function<void()>>& calls, Callbacks& callbacks, HoldStatus now,
                     std::uint64_t suspensions, LossReason reason) {
  const auto lost = [&](LossReason why) {
    if (callbacks.lost) calls.push_back([call = callbacks.lost, why] { call(why); });
  };
  if (suspensions != callbacks.suspensions_told) {
    callbacks.suspensions_told = suspensions;
    callbacks.told = HoldStatus::suspended;
    lost(LossReason::suspended);
  }
  if (now == HoldStatus::lost && callbacks.told != HoldStatus::lost) {
    callbacks.told = HoldStatus::lost;
    lost(reason);
  }
  if (now == HoldStatus::active && callbacks.told == HoldStatus::suspended) {
    callbacks.told = HoldStatus::active;
    if (callbacks.renewed) calls.push_back(callbacks.renewed);
  }
}

}  // namespace rwlease::runtime
