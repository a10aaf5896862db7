// The processes that are this one's children, by birth or by adoption.
#pragma once

#include <sys/types.h>

#include <vector>

namespace rwlease::cli {

// From now on the descendants of this process that lose their parent become its children, whatever process group or
// session they have moved to. False where the kernel refuses.
bool adopt_orphans() noexcept;

// All children, zombies too. Each was verified to be one, so its number means nobody else until it is waited for.
std::vector<pid_t> children();

// Kills the children. Theirs become ours then: who calls it again and again until there are none has ended all.
void kill_children();

// Reaps the children that have ended, but for `spared`. True when none is left besides that one.
bool reap_children(pid_t spared = 0);

}  // namespace rwlease::cli
