// A mutex whose waiters can give up.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace rwlease::softlock {

// As std::timed_mutex, for std::unique_lock and std::lock_guard. That one waits by pthread_mutex_clocklock, which
// thread sanitizers up to GCC 12's don't know: they take each unlock for one too many, and see no race that it
// prevents.
class Turn {
 public:
  void lock() {
    std::unique_lock<std::mutex> guard(mutex_);
    free_.wait(guard, [this] { return !taken_; });
    taken_ = true;
  }

  bool try_lock_for(std::chrono::nanoseconds patience) {
    std::unique_lock<std::mutex> guard(mutex_);
    if (!free_.wait_for(guard, patience, [this] { return !taken_; })) return false;
    taken_ = true;
    return true;
  }

  void unlock() {
    const std::lock_guard<std::mutex> guard(mutex_);
    taken_ = false;
    free_.notify_one();  // within, so that whoever takes it next may destroy it
  }

 private:
  std::mutex mutex_;  // guards `taken_`
  std::condition_variable free_;
  bool taken_ = false;
};

}  // namespace rwlease::softlock
