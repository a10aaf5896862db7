// The controlling terminal, lent to the command while it runs.
#pragma once

#include "descriptor.hpp"

#include <sys/types.h>

namespace rwlease::cli {

// The command runs in a process group of its own, so that signals reach all of it and nothing else. A terminal accepts
// reads only from its foreground group; therefore the group is lent the terminal. Needs SIGTTOU blocked. Main thread
// only; nothing throws.
class Terminal {
 public:
  Terminal() noexcept;

  // Is this program one that the user talks to: in the foreground, stdin and stdout on a terminal? With stdout in a
  // pipe, the reader of the pipe (a pager) may need the terminal, so it is lent only when the command asks.
  bool is_interactive() const noexcept;

  // Is our own process group the terminal's foreground group?
  bool in_foreground() const noexcept;

  // Makes `group` the foreground group, where ours is it now.
  void lend(pid_t group) noexcept;

  bool is_lent() const noexcept { return borrower_ != 0; }

  // Makes ours the foreground group again, where the borrower still is it.
  void take_back() noexcept;

 private:
  Descriptor device_;
  pid_t borrower_ = 0;
};

}  // namespace rwlease::cli
