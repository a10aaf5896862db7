#include "sim/scheduler.hpp"

#include "runtime/runtime.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace rwlease::sim {

Task& Scheduler::start(Process& process, std::function<void()> body, Time when, bool user) {
  if (used_ == tasks_.size()) {
    tasks_.push_back(std::make_unique<Task>());
    fibers_.push_back(std::make_unique<Fiber>());
  }
  Task& task = *tasks_[used_];
  task = Task();
  task.number = static_cast<int>(used_) + 1;
  task.process = &process;
  task.user = user;
  task.fiber = fibers_[used_].get();
  task.wakes = when;
  ++used_;
  task.fiber->take([&task, body = std::move(body)] {
    try {
      body();
    } catch (const Killed&) {
      // Its stack is cleared away, which was the purpose.
    }
    task.done = true;
  });
  return task;
}

void Scheduler::leave_until(Time when) {
  Task& task = *current_;
  task.wakes = when;
  task.fiber->leave();
}

void Scheduler::wait_for(const void* what, Time until) {
  current_->waits_for = what;
  leave_until(until);
}

void Scheduler::wake(const void* what) {
  for (std::size_t i = 0; i < used_; ++i) {
    Task& task = *tasks_[i];
    if (task.waits_for != what || task.done) continue;
    task.waits_for = nullptr;
    task.wakes = now_ + static_cast<Time>(world_.random.below(50 * microsecond));
  }
}

Task* Scheduler::next() const {
  Task* first = nullptr;
  for (std::size_t i = 0; i < used_; ++i) {
    Task& task = *tasks_[i];
    if (!task.done && (first == nullptr || task.wakes < first->wakes)) first = &task;
  }
  return first;
}

Time Scheduler::next_time() const {
  const Task* task = next();
  return task == nullptr ? never : task->wakes;
}

bool Scheduler::run_next() {
  Task* task = next();
  if (task == nullptr || task->wakes == never) return false;
  // Who stands still goes on when that is over.
  const Time stands_still_until = std::max(task->process->stopped_until, task->process->machine->clock.paused_until());
  if (stands_still_until > std::max(task->wakes, now_)) {
    task->wakes = stands_still_until + static_cast<Time>(world_.random.below(millisecond));
    return true;
  }
  now_ = std::max(now_, task->wakes);
  resume(*task);
  return true;
}

void Scheduler::resume(Task& task) {
  task.waits_for = nullptr;
  current_ = &task;
  runtime::Runtime::use(task.process->runtime.get());
  task.fiber->resume();
  runtime::Runtime::use(nullptr);
  current_ = nullptr;
}

bool Scheduler::done(const Process& process) const {
  return std::none_of(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(used_),
                      [&](const auto& task) { return task->process == &process && !task->done; });
}

void Scheduler::unwind(Process& process) {
  for (std::size_t i = 0; i < used_; ++i) {
    Task& task = *tasks_[i];
    while (task.process == &process && !task.done) resume(task);
  }
}

void Scheduler::clear() {
  used_ = 0;
  now_ = 0;
}

}  // namespace rwlease::sim
