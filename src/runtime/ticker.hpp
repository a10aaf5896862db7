// A thread that calls a function for each of its members when their time has come.
#pragma once

#include "runtime/threads.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace rwlease::runtime {

class Hold;

// The refresher of a mount, which does file I/O, and the watcher, which never does, are one of these each. The thread
// takes no signals, and nobody waits for it without bound: it may hang in a dead mount.
class Ticker {
 public:
  // Does its work for the hold and says when it wants to be called again (boot clock). Must not throw.
  using Task = Nanoseconds (*)(Hold&);

  Ticker(Task task, const fs::Clock& clock, Threads& threads)
      : shared_(std::make_shared<Shared>(task, clock, threads)) {}
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker() { stop(); }

  // Throws Error when the thread cannot be started; then nothing was added. Any thread, like all of these.
  void add(const std::shared_ptr<Hold>& hold, Nanoseconds due);
  void remove(const Hold* hold) noexcept;

  // Calls the task for this hold soon.
  void hurry(const Hold* hold) noexcept;

  // Waits a little for the thread, then leaves it to itself.
  void stop() noexcept;

 private:
  struct Member {
    const Hold* key;
    std::weak_ptr<Hold> hold;
    Nanoseconds due;
  };

  // Outlives this object while the thread does.
  struct Shared {
    Shared(Task task_in, const fs::Clock& clock_in, Threads& threads_in)
        : task(task_in), clock(clock_in), threads(threads_in), changed(threads_in.make_condition()) {}
    std::vector<Member>::iterator find(const Hold* hold) noexcept;
    const Task task;
    const fs::Clock& clock;
    Threads& threads;
    const std::unique_ptr<Condition> changed;
    std::mutex mutex;                           // guards all below
    std::vector<Member> members;                // in the order they came: of several that are due the first goes first
    Nanoseconds wakes_at = Nanoseconds::max();  // what the thread sleeps until; waking it earlier costs a switch
    bool stopping = false;
    bool finished = false;
  };

  static void run(const std::shared_ptr<Shared>& shared);
  static void tick(Shared& shared, std::unique_lock<std::mutex>& lock);
  static void wake_for(Shared& shared, Nanoseconds due);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Thread> thread_;  // guarded by shared_->mutex
};

}  // namespace rwlease::runtime
