// The thread that takes, keeps and gives back the lease.
#pragma once

#include "descriptor.hpp"
#include "holding.hpp"

#include <rwlease/cancel.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rwlease::cli {

// All file access of `rwlease run` happens on this thread (and the library's), so that the main thread can serve
// signals, the command and the loss of the lease whatever the file system does. Nothing here but the destructor blocks.
//
// Life: pending, then one of the other outcomes; after granted, perhaps lost; after give_back(), given back.
class Keeper {
 public:
  enum class Outcome { pending, granted, timed_out, cancelled, failed };

  // Begins to acquire at once. Throws std::system_error. `holding` must live longer.
  Keeper(Holding& holding, Deadline deadline);

  // Cancels, gives back and joins: blocks as long as the file system does.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Readable when something has changed since drain().
  int descriptor() const noexcept { return event_.get(); }
  void drain() noexcept;

  Outcome outcome() const;
  std::string failure() const;  // why it was not granted, as a sentence

  // Ends the acquire, if it is still under way.
  void cancel() noexcept { cancel_.cancel(); }

  // Between granted and give_back(). These read clocks only.
  bool is_valid() const noexcept { return holding_.is_valid(); }
  std::chrono::nanoseconds remaining() const noexcept { return holding_.remaining(); }
  std::string fences() const { return holding_.fences(); }
  std::string lost_part() const { return holding_.lost_part(); }
  std::optional<LossReason> loss() const;  // also while the rest of several is waited for

  // After granted, once: has the lease given back.
  void give_back();
  std::optional<ReleaseResult> given_back() const;

 private:
  void acquire(Deadline deadline) noexcept;
  void give_back_when_asked() noexcept;
  void settle(Outcome outcome, std::string failure = {});
  void notice_loss(LossReason reason) noexcept;
  void tell() noexcept;

  Holding& holding_;  // touched by the thread alone before granted and after give_back()
  Cancel cancel_;
  Descriptor event_;

  mutable std::mutex mutex_;
  std::condition_variable give_back_asked_for_;
  Outcome outcome_ = Outcome::pending;
  std::string failure_;
  std::optional<LossReason> loss_;
  bool give_back_ = false;
  std::optional<ReleaseResult> given_back_;

  std::thread thread_;
};

}  // namespace rwlease::cli
