// A lease that was granted: kept alive, watched, and given back.
#pragma once

#include "protocol/attempt.hpp"
#include "protocol/renewal.hpp"
#include "protocol/sweep.hpp"
#include "runtime/instance.hpp"
#include "runtime/slot.hpp"
#include "runtime/threads.hpp"

#include <rwlease/lease.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::runtime {

// Shared by the Lease objects of one acquisition (several when it was nested), by the instance until it is released,
// and by the two threads while they work for it.
//
// Who may touch what: `marker_`, `renewer_` and `sweep_` belong to whoever has the turn (see Turn), one at a time, so
// that file I/O is done without a mutex held. The status is an atomic that only moves towards its end, except that a
// suspended hold becomes active again by whoever has the turn.
class Hold : public std::enable_shared_from_this<Hold> {
 public:
  using LostCallback = std::function<void(LossReason)>;
  using RenewedCallback = std::function<void()>;

  // Starts heartbeat and watch. When that fails the marker is removed again and the Error goes on.
  static std::shared_ptr<Hold> begin(std::shared_ptr<Instance> instance, protocol::Site site, const Options& options,
                                     Mode mode, protocol::Grant grant, std::uint64_t thread);
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  Mode mode() const noexcept { return mode_; }
  std::uint64_t fence() const noexcept { return fence_; }
  std::uint64_t thread() const noexcept { return thread_; }
  const Options& options() const noexcept { return options_; }
  bool released() const noexcept { return status() == HoldStatus::released; }
  std::string marker() const;       // its path in the lock directory
  bool inherited() const noexcept;  // by a forked child: nothing but this may be asked

  bool valid() const noexcept;
  LeaseState state() const noexcept;
  Nanoseconds remaining() const noexcept;
  bool verify() noexcept;
  void publish(const std::string& finished, const std::string& target);
  std::shared_ptr<Hold> downgrade();

  // Each Lease object has a number; the first one's is 1. The last that leaves ends the hold; after that nobody nests
  // any more.
  std::optional<std::uint64_t> nest();
  ReleaseResult leave(std::uint64_t object) noexcept;

  // Ends the hold whatever its number of objects.
  ReleaseResult release() noexcept;

  // When the process ends: gives it back, unless others may go on working under it; then it is left to run out.
  void end_with_process() noexcept;

  // Callbacks of one Lease object.
  void call_when_lost(std::uint64_t object, LostCallback callback);
  void call_when_renewed(std::uint64_t object, RenewedCallback callback);

  // Tasks of the refresher and of the watcher.
  static Nanoseconds refresh(Hold& hold);
  static Nanoseconds watch(Hold& hold);

 private:
  class Turn;
  struct Callbacks {
    LostCallback lost;
    RenewedCallback renewed;
    HoldStatus told = HoldStatus::active;
    std::uint64_t suspensions_told = 0;
  };

  Hold(std::shared_ptr<Instance> instance, protocol::Site site, const Options& options, Mode mode,
       protocol::Grant grant, std::uint64_t thread);

  const fs::Clock& clock() const noexcept { return *site_.clock; }
  Threads& threads() const noexcept;
  HoldStatus status() const noexcept { return slot_->status.load(); }
  bool ended() const noexcept { return status() == HoldStatus::lost || status() == HoldStatus::released; }
  fs::Result confirm() noexcept;
  Nanoseconds soon() const noexcept { return clock().boot() + site_.terms.interval / 8; }
  void arm_slot() noexcept;
  void suspend() const noexcept;
  void lose() noexcept;
  Nanoseconds keep_alive();
  bool was_restored() const;
  Nanoseconds beat();
  Nanoseconds renew();
  void log_trouble(const char* what, fs::Result trouble);
  void look_for_leftovers();
  Nanoseconds sweep_if_due(Nanoseconds next);
  Callbacks& callbacks_of(std::uint64_t object);
  void tell_changes() noexcept;
  std::vector<std::function<void()>> calls_due();
  static void add_calls(std::vector<std::function<void()>>& calls, Callbacks& callbacks, HoldStatus now,
                        std::uint64_t suspensions, LossReason reason);
  void hurry_renewal() noexcept;
  void trace_change(HoldStatus now) noexcept;
  void trace_new_id(const char* event, const std::string& was, const std::string& is) const noexcept;
  void trace_release(Nanoseconds from, bool done) const noexcept;
  void rearm() noexcept;
  void end_turn() noexcept;
  bool give_back() noexcept;
  bool leave_to_refresher() noexcept;
  Nanoseconds next_beat_by_deadline() const noexcept;
  void take_off() noexcept;
  void move_callbacks_to(Hold& other);
  void wait_for_callback(std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<Instance> instance_;
  const protocol::Site site_;
  const Options options_;
  const Mode mode_;
  const std::uint64_t fence_;
  const std::uint64_t thread_;
  const std::uint64_t generation_;
  Slot* const slot_;
  const std::shared_ptr<const protocol::Validity> validity_;

  // The one who has the turn:
  std::string boot_id_;
  protocol::Marker marker_;
  protocol::Renewer renewer_;
  protocol::Sweep sweep_;
  bool sweeping_ = false;
  bool looked_for_leftovers_ = false;
  Nanoseconds next_sweep_{0};
  Nanoseconds next_beat_;
  int logged_trouble_ = 0;  // the errno of the heartbeat or renewal before

  mutable std::atomic<std::uint64_t> suspensions_{0};
  mutable std::atomic<LossReason> reason_{LossReason::expired};

  std::atomic<HoldStatus> traced_{HoldStatus::active};  // what the trace knows

  bool renewal_hurried_ = false;  // the watcher's own

  const std::unique_ptr<Condition> changed_;

  mutable std::mutex mutex_;  // guards all below; never held during I/O or callbacks
  bool turn_taken_ = false;
  bool handed_over_ = false;  // released, but whoever has the turn next, or has it, gives the marker back
  std::string path_;          // of the marker, for a look at it without the turn
  std::uint64_t last_object_ = 1;
  int objects_ = 1;
  std::map<std::uint64_t, Callbacks> callbacks_;
  std::uint64_t calling_back_ = 0;  // the thread that does, or 0
};

}  // namespace rwlease::runtime
