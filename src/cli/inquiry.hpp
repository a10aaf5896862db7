// Asking another program something, without waiting for it.
#pragma once

#include "descriptor.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

// A program that was started and is asked now and then whether it has finished. It is ended when it takes too long, and
// when the object goes. One thread.
class Inquiry {
 public:
  using Clock = std::chrono::steady_clock;

  // Found by PATH; reads nothing, its stderr is dropped. Where it cannot be started it has failed.
  Inquiry(const std::vector<std::string>& command, Clock::duration patience);
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;
  ~Inquiry() { end(); }

  // True when there is an answer, or there will be none. Never blocks.
  bool is_over();

  // Sleeps until it says something or ends, or there is something to read from the descriptor, at most as long as its
  // time lasts.
  void await(int descriptor) const;

  // What it said on stdout; nothing unless it is over and ended with 0.
  const std::optional<std::string>& answer() const noexcept { return answer_; }

 private:
  bool read_all();
  void end() noexcept;

  const Clock::time_point latest_;
  Descriptor output_;
  pid_t pid_ = 0;  // 0: over
  std::string said_;
  std::optional<std::string> answer_;
};

}  // namespace rwlease::cli
