// Cancels acquires that wait.
#pragma once

#include <rwlease/export.hpp>

#include <atomic>

namespace rwlease {

// Handed to acquire(), it lets another thread or a signal handler end the wait: the acquire withdraws what it had
// published and throws Cancelled. One object may serve any number of acquires; once cancelled it stays so until
// reset(). It must outlive the acquires that use it.
//
// The constructor throws Error when no descriptor can be had (EMFILE).
class RWLEASE_EXPORT Cancel {
 public:
  Cancel();
  ~Cancel();
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  // Any thread; async-signal-safe.
  void cancel() noexcept;

  // Any thread. Makes the object usable again; call it when no acquire uses the object.
  void reset() noexcept;

  bool cancelled() const noexcept { return cancelled_.load(); }

  // A descriptor that is readable while cancelled, for poll(2).
  int descriptor() const noexcept { return descriptor_; }

 private:
  std::atomic<bool> cancelled_{false};
  int descriptor_;
};

}  // namespace rwlease
