// The thread that shows an owner's life.
#pragma once

#include "runtime/threads.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace rwlease::softlock {

using fs::Nanoseconds;

// Calls a function after a pause, again and again. The thread takes no signals, and nobody waits for it without bound:
// it may hang in a dead mount.
class Heart {
 public:
  // `beat` says how long to pause until the next one; nothing: it was the last. It must not throw, and must keep alive
  // what it uses. Throws Error when no thread can be started.
  Heart(runtime::Threads& threads, Nanoseconds first, std::function<std::optional<Nanoseconds>()> beat);

  // No beat begins after this; one under way is waited for a little, then left to itself.
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

 private:
  // Outlives this object while the thread does.
  struct Shared {
    explicit Shared(runtime::Threads& threads_in) : threads(threads_in), changed(threads_in.make_condition()) {}
    runtime::Threads& threads;
    const std::unique_ptr<runtime::Condition> changed;
    std::mutex mutex;  // guards all below
    std::uint64_t thread = 0;
    bool stopping = false;
    bool finished = false;
  };

  static void run(const std::shared_ptr<Shared>& shared, Nanoseconds pause,
                  const std::function<std::optional<Nanoseconds>()>& beat);

  const std::shared_ptr<Shared> shared_;
  std::unique_ptr<runtime::Thread> thread_;
};

}  // namespace rwlease::softlock
