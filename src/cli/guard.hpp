// The process between rwlease and the command it runs.
#pragma once

#include "descriptor.hpp"

#include <sys/types.h>

#include <functional>

namespace rwlease::cli {

// What rwlease has the guard do. One packet each on the channel between them.
struct GuardOrder {
  enum class Kind { signal, end_all };
  Kind kind;
  int signal;
};

// What the guard tells.
struct GuardNews {
  enum class Kind {
    started,   // once, first: value is the command's pid, or the negative errno of a failed fork
    changed,   // value is the command's wait status: stopped, continued, ended
    all_gone,  // once: the command has ended, and so has all that it started
  };
  Kind kind;
  int value;
};

// The guard is the command's parent and the adoptive parent of whatever the command starts and leaves, so nothing of it
// gets out of its reach, in another session neither. When rwlease closes the channel, which it does whatever kills it,
// the guard kills all of that. The command itself it keeps as a zombie to the last: as long as its process group shows,
// something of it may be left.
//
// It has a process group of its own, takes no signal, and holds none of the command's streams.
//
// Call it in a child forked for it. `be_command` becomes the command, in a process that leads a group and is killed
// when the guard dies.
[[noreturn]] void be_guard(Descriptor channel, const std::function<void()>& be_command);

}  // namespace rwlease::cli
