#include "runtime/hold.hpp"

#include "runtime/fork.hpp"
#include "runtime/hold_turn.hpp"
#include "runtime/runtime.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <atomic>

namespace rwlease::runtime {
namespace {

// How long a release waits for a heartbeat that hangs in the file system before it leaves the marker to it.
constexpr std::chrono::seconds patience{2};

}  // namespace

std::uint64_t this_thread() noexcept {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t mine = last.fetch_add(1) + 1;
  return mine;
}

std::shared_ptr<Hold> Hold::begin(std::shared_ptr<Instance> instance, protocol::Site site, const Options& options,
                                  Mode mode, protocol::Grant grant, std::uint64_t thread) {
  std::shared_ptr<Hold> hold(new Hold(std::move(instance), std::move(site), options, mode, std::move(grant), thread));
  try {
    hold->instance_->enlist(hold);
    hold->instance_->runtime().watcher().add(hold, hold->clock().boot() + hold->site_.terms.margin / 2);
    hold->instance_->refresher().add(hold, hold->sweeping_ ? Nanoseconds(0) : hold->next_beat_);
  } catch (...) {
    hold->release();
    throw;
  }
  return hold;
}

Hold::Hold(std::shared_ptr<Instance> instance, protocol::Site site, const Options& options, Mode mode,
           protocol::Grant grant, std::uint64_t thread)
    : instance_(std::move(instance)),
      site_(std::move(site)),
      options_(options),
      mode_(mode),
      fence_(grant.fence),
      thread_(thread),
      generation_(generation()),
      boot_id_(site_.self.process.boot_id),
      slot_(Slot::take()),
      validity_(grant.marker.shared_validity()),
      marker_(std::move(grant.marker)),
      renewer_(site_),
      sweep_(site_),
      sweeping_(!grant.leftovers.empty()),
      next_beat_(clock().boot() + site_.terms.interval) {
  sweep_.add(grant.leftovers);
  arm_slot();
}

Hold::~Hold() { slot_->give_back(); }

bool Hold::inherited() const noexcept { return generation_ != generation(); }

// Only what no others work under may go with the process.
void Hold::arm_slot() noexcept {
  if (!options_.sole) return;
  slot_->arm(site_.directory->descriptor(), marker_.path(), mode_ == Mode::write);
}

bool Hold::valid() const noexcept {
  if (status() != HoldStatus::active) return false;
  if (validity_->in_force(clock())) return true;
  suspend();
  return false;
}

// Once the time is over it stays over, whatever the clocks say later, until the lease is renewed.
void Hold::suspend() const noexcept {
  HoldStatus expected = HoldStatus::active;
  const HoldStatus next = options_.renew ? HoldStatus::suspended : HoldStatus::lost;
  if (slot_->status.compare_exchange_strong(expected, next) && options_.renew) suspensions_.fetch_add(1);
}

// Somebody removed the marker.
void Hold::lose() noexcept {
  reason_.store(LossReason::evicted);
  HoldStatus expected = status();
  while (expected != HoldStatus::lost && expected != HoldStatus::released &&
         !slot_->status.compare_exchange_weak(expected, HoldStatus::lost)) {
  }
  instance_->runtime().watcher().hurry(this);
}

LeaseState Hold::state() const noexcept {
  static_cast<void>(valid());
  switch (status()) {
    case HoldStatus::active:
      return LeaseState::valid;
    case HoldStatus::suspended:
      return LeaseState::suspended;
    case HoldStatus::lost:
      return LeaseState::lost;
    case HoldStatus::released:
      break;
  }
  return LeaseState::released;
}

Nanoseconds Hold::remaining() const noexcept { return valid() ? validity_->remaining(clock()) : Nanoseconds(0); }

bool Hold::verify() noexcept {
  if (!valid()) return false;
  const Turn turn(*this, patience);
  return turn.taken() && look_at_marker() && valid();
}

// With the turn.
bool Hold::look_at_marker() noexcept {
  fs::Attributes ignored;
  const fs::Result looked = site_.directory->look(marker_.path(), ignored);
  if (looked.absent() && protocol::surely_absent(site_, marker_.path())) lose();
  return looked.ok();
}

void Hold::publish(const std::string& finished, const std::string& target) {
  const std::string operation = "publishing";
  if (mode_ != Mode::write) throw UsageError(operation, target, "a read lease may not publish");
  const auto lost = [&](const std::string& why) { return LeaseLost(operation, target, why + "; nothing was renamed"); };
  if (!verify()) throw lost("the write lease is not in force");
  const Nanoseconds between_beats = site_.terms.lease - site_.terms.interval - site_.terms.margin;
  if (remaining() < std::min(site_.terms.margin, between_beats) / 2) {
    throw lost("the write lease is about to run out without a heartbeat");
  }
  const fs::Result renamed = instance_->runtime().file_system().rename(finished, target);
  if (!renamed.ok()) throw Error(operation, target, "renaming " + finished + ": " + renamed.text(), renamed.code());
}

std::shared_ptr<Hold> Hold::downgrade() {
  const std::string operation = "downgrading the lease on";
  const std::string& path = site_.directory->path();
  if (mode_ != Mode::write) throw UsageError(operation, path, "it is a read lease");
  std::optional<protocol::Marker> reader;
  std::map<std::uint64_t, Callbacks> callbacks;
  {
    const Turn turn(*this, patience);
    if (!turn.taken()) throw Error(operation, path, "a heartbeat hangs in the file system; try again");
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (objects_ != 1) throw UsageError(operation, path, "nested write leases are still held");
    }
    if (valid()) reader = protocol::swap_writer_for_reader(site_, marker_);
    if (reader) slot_->status.store(HoldStatus::released);
  }
  if (!reader) {
    release();
    throw LeaseLost(operation, path, "the write lease was not in force to the end");
  }
  take_off();
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_for_callback(lock);
    callbacks.swap(callbacks_);
  }
  auto hold = begin(instance_, site_, options_, Mode::read, {std::move(*reader), 0, {}}, thread_);
  const std::lock_guard<std::mutex> guard(hold->mutex_);
  hold->callbacks_.swap(callbacks);
  return hold;
}

std::uint64_t Hold::nest() {
  const std::lock_guard<std::mutex> guard(mutex_);
  ++objects_;
  return ++last_object_;
}

ReleaseResult Hold::leave(std::uint64_t object) noexcept {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_for_callback(lock);
    callbacks_.erase(object);
    if (--objects_ > 0) return valid() ? ReleaseResult::released : ReleaseResult::already_lost;
  }
  return release();
}

ReleaseResult Hold::release() noexcept {
  const bool in_force = valid();
  if (slot_->status.exchange(HoldStatus::released) == HoldStatus::released) {
    take_off();  // a signal handler may have ended it, and could do no more than remove the marker
    return ReleaseResult::already_lost;
  }
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_for_callback(lock);
  }
  bool stood = true;
  {
    const Turn turn(*this, patience);
    if (turn.taken()) {
      stood = renewer_.give_back(marker_);
      slot_->disarm();
    } else {
      const std::lock_guard<std::mutex> guard(mutex_);
      handed_over_ = turn_taken_;
    }
  }
  take_off();
  return in_force && stood ? ReleaseResult::released : ReleaseResult::already_lost;
}

void Hold::end_with_process() noexcept {
  if (options_.sole) {
    release();
  } else if (slot_->status.exchange(HoldStatus::released) != HoldStatus::released) {
    take_off();
  }
}

// Nobody works for it any more.
void Hold::take_off() noexcept {
  instance_->refresher().remove(this);
  instance_->runtime().watcher().remove(this);
  if (mode_ == Mode::write) instance_->stand_back_until(clock().boot() + options_.effective_stand_back());
  instance_->strike(this);
}

// A callback may release its own lease.
void Hold::wait_for_callback(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock,
                [this] { return calling_back_ == std::thread::id() || calling_back_ == std::this_thread::get_id(); });
}

}  // namespace rwlease::runtime
