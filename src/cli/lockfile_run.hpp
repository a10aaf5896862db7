// Running a command under a lock file.
#pragma once

#include "lockfile_options.hpp"

namespace rwlease::cli {

// The exit code. Throws as commands do.
int run_under_lockfile(const LockfileRequest& request);

}  // namespace rwlease::cli
