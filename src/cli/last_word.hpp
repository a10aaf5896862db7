// A signal ends a command also when the file system keeps it from tidying up.
#pragma once

#include "descriptor.hpp"

#include <thread>

namespace rwlease::cli {

// While it exists and signals are noted (probe/interrupt.hpp): when one was, and the grace period passes, the process
// is left as it is, with 128 plus the signal's number and a line that says why. No call that hangs can hold that up, as
// far as the kernel lets go of it.
class LastWord {
 public:
  // Throws std::system_error.
  LastWord();
  ~LastWord();
  LastWord(const LastWord&) = delete;
  LastWord& operator=(const LastWord&) = delete;

 private:
  void watch() const noexcept;

  const Descriptor over_;  // an event: the work came to its end
  std::thread thread_;
};

}  // namespace rwlease::cli
