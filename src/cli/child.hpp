// The command that runs under the lease, and all that it starts.
#pragma once

#include "descriptor.hpp"
#include "signals.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

// What the command finds in its environment besides what we found in ours. Where there are several locks each of these
// has a line for each of them.
struct ChildEnvironment {
  std::string path;  // RWLEASE_PATH
  std::string mode;  // RWLEASE_MODE
  std::string id;    // RWLEASE_ID: host.pid of the holder; one line always
};

// A process that waits, already forked, for its start. It is forked first of all, because a fork beside threads, or
// with a lease held, would have to be undone in the child.
//
// It leads a process group of its own, below a guard (see guard.hpp): when this process dies, however that comes about,
// the guard kills the command and all that it started. When the guard is killed, the kernel kills the command, and this
// process the rest. When both are killed at once the command dies, but what it started goes on.
class Child {
 public:
  // Forks. Throws std::system_error. `inbox` must exist already.
  Child(const std::vector<std::string>& command, const ChildEnvironment& environment, const SignalInbox& inbox);

  // Has everything killed that is left, and waits for its end.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t group() const noexcept { return group_; }

  // Lets it execute the command; RWLEASE_FENCE becomes `fences`, which is not empty. Throws std::system_error.
  void start(const std::string& fences);

  // Sends a signal to the whole group; after its leader's end also to what has left the group.
  void signal(int signal) noexcept;

  // Kills all of it, whatever group it is in, and whatever is still started.
  void end_all() noexcept;

  // Readable when next_change() has news.
  int descriptor() const noexcept { return channel_.get(); }

  // The next change of its state (stopped, continued, ended), as waitpid has it, without blocking.
  std::optional<int> next_change();

  // Has the end been seen?
  bool has_ended() const noexcept { return ended_; }

  // Has the end of all that it started been seen, too?
  bool all_gone() const noexcept { return all_gone_; }

  // The guard was killed. Then nothing tells when all is gone: next_change() has to be called now and then.
  bool is_unguarded() const noexcept { return !channel_.is_open(); }

  // After the end: why the command could not be executed, an errno; 0 where it was.
  int exec_error() const noexcept;

 private:
  void await_started();
  std::optional<int> on_guard_killed();

  pid_t guard_ = -1;
  pid_t group_ = -1;
  bool ended_ = false;
  bool all_gone_ = false;
  Descriptor channel_;  // to the guard
  Descriptor gate_;     // writing opens it, closing tells the child that there is nothing to do
  Descriptor report_;   // errno of a failed exec
};

// The exit code that stands for a wait status: the command's own, or 128 plus the signal.
int exit_code_of(int wait_status) noexcept;

}  // namespace rwlease::cli
