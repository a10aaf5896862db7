#include "runtime/hold.hpp"

#include "runtime/fork.hpp"
#include "runtime/hold_turn.hpp"
#include "runtime/runtime.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <cerrno>

namespace rwlease::runtime {
namespace {

// How long a release waits for a heartbeat that hangs in the file system before it leaves the marker to it.
constexpr std::chrono::seconds patience{2};

}  // namespace

std::shared_ptr<Hold> Hold::begin(std::shared_ptr<Instance> instance, protocol::Site site, const Options& options,
                                  Mode mode, protocol::Grant grant, std::uint64_t thread) {
  std::shared_ptr<Hold> hold(new Hold(std::move(instance), std::move(site), options, mode, std::move(grant), thread));
  hold->instance_->take_over();
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
      slot_(Slot::take()),
      validity_(grant.marker.shared_validity()),
      boot_id_(site_.self->process.boot_id),
      marker_(std::move(grant.marker)),
      renewer_(site_),
      sweep_(site_),
      sweeping_(!grant.leftovers.empty()),
      next_beat_(next_beat_by_deadline()),
      changed_(threads().make_condition()) {
  sweep_.add(grant.leftovers);
  rearm();
}

Hold::~Hold() { slot_->give_back(); }

bool Hold::inherited() const noexcept { return generation_ != generation(); }

Threads& Hold::threads() const noexcept { return instance_->runtime().threads(); }

// With the turn, when the marker has its name.
void Hold::rearm() noexcept {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    path_ = marker_.path();
  }
  arm_slot();
}

// The deadline counts from the last proof of life, and so does the next one.
Nanoseconds Hold::next_beat_by_deadline() const noexcept {
  return validity_->until() - (site_.terms.lease - site_.terms.margin) + site_.terms.interval;
}

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

// Takes no turn: one who verifies over and over must not keep the heartbeat from its own.
bool Hold::verify() noexcept { return confirm().ok(); }

// ENOENT: not in force. Another error: the look itself failed, which says nothing about the lease.
fs::Result Hold::confirm() noexcept {
  if (!valid()) return fs::Result(ENOENT);
  std::string path;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    path = path_;
  }
  fs::Attributes ignored;
  fs::Result looked = site_.directory->look(path, ignored);
  if (looked.error() == ESTALE) looked = site_.directory->look(path, ignored);  // a handle may be so for once
  // A renewal may have moved it meanwhile; then it was not valid meanwhile, and the heartbeat will tell.
  if (looked.absent() && valid() && protocol::surely_absent(site_, path)) {
    bool ours = false;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      ours = path == path_;
      if (ours) lose();
    }
    if (ours) trace_change(HoldStatus::lost);
  }
  return looked.absent() || !valid() ? fs::Result(ENOENT) : looked;
}

void Hold::publish(const std::string& finished, const std::string& target) {
  const std::string operation = "publishing";
  if (mode_ != Mode::write) throw UsageError(operation, target, "a read lease may not publish");
  const auto lost = [&](const std::string& why) { return LeaseLost(operation, target, why + "; nothing was renamed"); };
  const fs::Result confirmed = confirm();
  if (confirmed.absent()) throw lost("the write lease is not in force");
  if (!confirmed.ok()) {
    throw Error(operation, target, "looking at the lease's marker: " + confirmed.text() + "; nothing was renamed",
                confirmed.code());
  }
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
  {
    const Turn turn(*this, patience);
    if (!turn.taken()) throw Error(operation, path, "a heartbeat hangs in the file system; try again");
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (objects_ != 1) throw UsageError(operation, path, "nested write leases are still held");
    }
    instance_->hand_over();
    if (valid()) reader = protocol::swap_writer_for_reader(site_, marker_);
    if (reader) {
      slot_->status.store(HoldStatus::released);
      trace_new_id("downgraded", marker_.name(), reader->name());
    }
  }
  if (!reader) {
    release();
    throw LeaseLost(operation, path, "the write lease was not in force to the end");
  }
  take_off();
  auto hold = begin(instance_, site_, options_, Mode::read, {std::move(*reader), 0, {}}, thread_);
  move_callbacks_to(*hold);
  return hold;
}

// They have not been told anything of the other yet.
void Hold::move_callbacks_to(Hold& other) {
  std::map<std::uint64_t, Callbacks> moved;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_for_callback(lock);
    moved.swap(callbacks_);
  }
  const std::lock_guard<std::mutex> guard(other.mutex_);
  other.last_object_ = last_object_;
  for (auto& [object, callbacks] : moved) {
    callbacks.told = HoldStatus::active;
    callbacks.suspensions_told = 0;
    other.callbacks_.emplace(object, std::move(callbacks));
  }
}

std::optional<std::uint64_t> Hold::nest() {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (objects_ == 0 || ended()) return std::nullopt;
  ++objects_;
  return ++last_object_;
}

std::string Hold::marker() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return path_;
}

ReleaseResult Hold::leave(std::uint64_t object) noexcept {
  std::map<std::uint64_t, Callbacks>::node_type callbacks;  // what they own is destroyed without the mutex
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_for_callback(lock);
    callbacks = callbacks_.extract(object);
    if (--objects_ > 0) return valid() ? ReleaseResult::released : ReleaseResult::already_lost;
  }
  return release();
}

ReleaseResult Hold::release() noexcept {
  const bool in_force = valid();
  if (slot_->status.exchange(HoldStatus::released) == HoldStatus::released) {
    // A signal handler may have ended it, and could do no more than remove the marker; or it was left to the refresher,
    // and there is no time for that at exit.
    { const Turn turn(*this, patience); }
    take_off();
    return ReleaseResult::already_lost;
  }
  const Nanoseconds began = clock().boot();
  bool on_watcher = false;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_for_callback(lock);
    on_watcher = calling_back_ == threads().current();
  }
  instance_->hand_over();
  const bool stood = on_watcher ? leave_to_refresher() : give_back();
  trace_release(began, !on_watcher && clock().boot() - began < patience);
  return in_force && stood ? ReleaseResult::released : ReleaseResult::already_lost;
}

// The watcher does no file I/O, or the losses of other leases would be told late.
bool Hold::leave_to_refresher() noexcept {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    handed_over_ = true;
  }
  instance_->refresher().hurry(this);
  return true;
}

// Where a heartbeat hangs in the file system the marker is left to it.
bool Hold::give_back() noexcept {
  for (;;) {
    {
      const Turn turn(*this, patience);
      if (turn.taken()) {
        const bool stood = renewer_.give_back(marker_);
        slot_->disarm();
        take_off();
        return stood;
      }
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    handed_over_ = turn_taken_;
    if (handed_over_) return true;
  }
}

// What was left to the one who had the turn is done before anybody else gets it.
void Hold::end_turn() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  if (handed_over_) {
    handed_over_ = false;
    lock.unlock();
    renewer_.give_back(marker_);
    slot_->disarm();
    take_off();
    lock.lock();
  }
  turn_taken_ = false;
  changed_->notify_all();
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
  changed_->wait(lock, [this] { return calling_back_ == 0 || calling_back_ == threads().current(); });
}

}  // namespace rwlease::runtime
