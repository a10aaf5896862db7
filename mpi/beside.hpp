// Work of the library that goes on beside the application's.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace rwlease::mpi::detail {

// One piece of work on a thread of its own, with all signals blocked. It makes no MPI call and throws nothing.
class Beside {
 public:
  // Throws std::system_error when there can be no thread.
  explicit Beside(std::function<void()> work);

  // Waits for its end; in a forked child, where the thread is not, it does nothing.
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  // What the work did is seen by who sees true here.
  bool done() const noexcept { return state_->done.load(std::memory_order_acquire); }

 private:
  struct State {
    std::function<void()> work;
    std::atomic<bool> done{false};
    std::thread thread;
  };

  pid_t process_;
  std::unique_ptr<State> state_;
};

}  // namespace rwlease::mpi::detail
