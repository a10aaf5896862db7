// Decides who goes on, and when.
#pragma once

#include "sim/fiber.hpp"
#include "sim/server.hpp"
#include "sim/time.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rwlease::sim {

struct Process;
struct World;

// Thrown out of a wait when the process has been killed, so that its stack is cleared away.
struct Killed {};

// A thread of a simulated process.
struct Task {
  int number = 0;
  Process* process = nullptr;
  bool user = false;  // else one of the library's own
  Fiber* fiber = nullptr;
  Time wakes = 0;
  const void* waits_for = nullptr;
  bool done = false;
  Handle published = no_handle;     // the marker or claim that it brought into place last
  Handle published_in = no_handle;  // the lock directory then
};

// Threads are fibers: one goes on until it asks the file system or waits. Time passes only between, to whatever
// happens next.
class Scheduler {
 public:
  explicit Scheduler(World& world) : world_(world) {}

  Time now() const { return now_; }
  Task* current() const { return current_; }

  Task& start(Process& process, std::function<void()> body, Time when, bool user);

  // For the task that runs: others go on until then.
  void leave_until(Time when);

  // Likewise until somebody wakes those that wait for this.
  void wait_for(const void* what, Time until);
  void wake(const void* what);

  // The next task in time, not later than `limit`. False when there is none.
  Time next_time() const;
  bool run_next();
  void pass_to(Time when) { now_ = when > now_ ? when : now_; }

  Task& task(int number) { return *tasks_[static_cast<std::size_t>(number) - 1]; }
  bool done(const Process& process) const;

  // Runs what is left of a killed process, whose calls all fail now, to its end.
  void unwind(Process& process);

  void clear();

 private:
  Task* next() const;
  void resume(Task& task);

  World& world_;
  Time now_ = 0;
  Task* current_ = nullptr;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

}  // namespace rwlease::sim
