// The command that runs under the lease.
#pragma once

#include "descriptor.hpp"
#include "signals.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

// What the command finds in its environment besides what we found in ours.
struct ChildEnvironment {
  std::string path;  // RWLEASE_PATH
  std::string mode;  // RWLEASE_MODE
  std::string id;    // RWLEASE_ID: host.pid of the holder
};

// A process that waits, already forked, for its start. It is forked first of all, because a fork beside threads, or
// with a lease held, would have to be undone in the child.
//
// It leads a process group of its own, and is killed when this process dies, however that comes about. Main thread
// only (the kernel ties the child to the life of the thread that forked it).
class Child {
 public:
  // Forks. Throws std::system_error. `inbox` must exist already.
  Child(const std::vector<std::string>& command, const ChildEnvironment& environment, const SignalInbox& inbox);

  // Kills the leader and waits for its end, if that has not been seen yet.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t group() const noexcept { return pid_; }

  // Lets it execute the command; RWLEASE_FENCE becomes `fence`. Throws std::system_error.
  void start(std::uint64_t fence);

  // Sends a signal to the whole group. Nothing happens where none of it is left.
  void signal(int signal) const noexcept;

  // The next change of its state (stopped, continued, ended), as waitpid has it, without blocking.
  std::optional<int> next_change();

  // Has the end been seen?
  bool has_ended() const noexcept { return ended_; }

  // After the end: why the command could not be executed, an errno; 0 where it was.
  int exec_error() const noexcept;

  // After the end: are other processes of its group left?
  bool group_is_left() const noexcept;

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  Descriptor gate_;    // writing opens it, closing tells the child that there is nothing to do
  Descriptor report_;  // errno of a failed exec; closed by a successful one
};

// The exit code that stands for a wait status: the command's own, or 128 plus the signal.
int exit_code_of(int wait_status) noexcept;

}  // namespace rwlease::cli
