// The signals that `rwlease run` receives, as events on a descriptor instead of interruptions.
#pragma once

#include "descriptor.hpp"

#include <signal.h>

#include <optional>

namespace rwlease::cli {

// While one exists, SIGCHLD and every signal that is to be passed on are blocked and wait to be read; SIGPIPE is
// ignored. Signals that were ignored when the program started (nohup, a background job of a plain shell) stay so and
// are not passed on. Threads started later inherit all of this, so no signal can hit one of them. Made once, on the
// main thread, before fork and before any thread; the state is not given back, because it lasts as long as the program.
class SignalInbox {
 public:
  // Throws std::system_error.
  SignalInbox();

  // Readable while a signal waits.
  int descriptor() const noexcept { return descriptor_.get(); }

  // The next one, without blocking.
  std::optional<int> next();

  // In the forked child, right before exec: everything as the program found it.
  void restore_in_child() const noexcept;

 private:
  sigset_t original_mask_{};
  struct sigaction original_child_action_ {};
  struct sigaction original_pipe_action_ {};
  Descriptor descriptor_;
};

// Would the signal, left alone, end the process? Those that do end a wait for the lease.
bool ends_process(int signal) noexcept;

// "SIGTERM"; "a signal" for the rare ones. For messages.
const char* signal_name(int signal) noexcept;

// Stops this process (or, with `whole_group`, its process group) as Ctrl-Z would, until it is continued. False when it
// did not stop: nobody could continue an orphaned group, so the kernel spares it. Main thread only.
bool stop_as_by_terminal(bool whole_group) noexcept;

}  // namespace rwlease::cli
