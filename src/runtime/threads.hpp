// The threads that the runtime starts and all the waiting it does, behind a seam so that a simulation can drive them.
#pragma once

#include "fs/clock.hpp"
#include "fs/entry_watch.hpp"

#include <rwlease/deadline.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace rwlease::runtime {

using fs::Nanoseconds;
using Time = Deadline::Clock::time_point;

// Like std::condition_variable: waits may end for no reason.
class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  virtual ~Condition() = default;

  virtual void notify_all() noexcept = 0;
  virtual void wait(std::unique_lock<std::mutex>& lock) = 0;

  // False when the time has come.
  virtual bool wait_until(std::unique_lock<std::mutex>& lock, Time when) = 0;

  template <class Predicate>
  void wait(std::unique_lock<std::mutex>& lock, Predicate met) {
    while (!met()) wait(lock);
  }

  // Whether it is met in the end.
  template <class Predicate>
  bool wait_until(std::unique_lock<std::mutex>& lock, Time when, Predicate met) {
    while (!met()) {
      if (!wait_until(lock, when)) return met();
    }
    return true;
  }
};

// One that was started. Joined or detached before it is destroyed.
class Thread {
 public:
  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  virtual ~Thread() = default;

  virtual void join() = 0;
  virtual void detach() noexcept = 0;
};

// Any thread.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  virtual ~Threads() = default;

  // One that takes no signals: the application's belong to the application's threads. Throws Error.
  virtual std::unique_ptr<Thread> start(std::function<void()> body) = 0;

  virtual std::unique_ptr<Condition> make_condition() = 0;

  // Distinguishes threads without ever naming two the same, unlike std::thread::id. Never 0.
  virtual std::uint64_t current() const noexcept = 0;

  // What deadlines and waits go by.
  virtual Time now() const noexcept = 0;

  virtual void sleep(Nanoseconds duration) = 0;

  // EntryWatch::wait, or what stands for it.
  virtual fs::Woken wait(fs::EntryWatch& watch, Nanoseconds duration, int cancel_descriptor) = 0;

  // To begin a sequence of random numbers with.
  virtual unsigned random_seed() = 0;
};

// Those of the operating system.
class SystemThreads final : public Threads {
 public:
  std::unique_ptr<Thread> start(std::function<void()> body) override;
  std::unique_ptr<Condition> make_condition() override;
  std::uint64_t current() const noexcept override;
  Time now() const noexcept override;
  void sleep(Nanoseconds duration) override;
  fs::Woken wait(fs::EntryWatch& watch, Nanoseconds duration, int cancel_descriptor) override;
  unsigned random_seed() override;
};

}  // namespace rwlease::runtime
