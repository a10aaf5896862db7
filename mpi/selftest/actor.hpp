// A thread that does what may block in the file system, so that the main thread can go on with MPI.
#pragma once

#include "waiting.hpp"

#include <rwlease/cancel.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace rwlease::selftest {

// One task at a time. Leases that a task takes belong to this thread, not to the main one: to rwlease the two are as
// two processes. Tasks never call MPI. What a task throws is kept as text.
class Actor {
 public:
  Actor();
  ~Actor();  // cancels what waits, and waits for the task's end
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  // Handed to acquires that should end with the actor.
  Cancel& cancel() noexcept { return cancel_; }

  // The last task must be done.
  void start(std::function<void()> task);
  bool done() const;

  // What the last task threw; empty when nothing.
  std::string error() const;

  // Starts it and waits for its end, serving MPI meanwhile; gives error().
  std::string run(Waiting& waiting, std::function<void()> task);

 private:
  void work();

  Cancel cancel_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  std::string error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace rwlease::selftest
