// Running a command while something is held: what `rwlease run` and `rwlease lockfile run` have in common.
#pragma once

#include "child.hpp"
#include "holding.hpp"
#include "run_options.hpp"
#include "signals.hpp"

namespace rwlease::cli {

ChildEnvironment child_environment(const RunRequest& request);

// Acquires, lets the child execute the command, gives back. The exit code; where the file system hangs so that nothing
// can be given back, it ends the process. Throws as commands do.
int run_supervised(const RunRequest& request, SignalInbox& inbox, Child& child, Holding& holding);

}  // namespace rwlease::cli
