// What crashes left in a lock's directory.
#pragma once

#include "softlock/scene.hpp"

namespace rwlease::softlock {

// Removes private files whose makers are dead on this host, or that are older than an hour by the file server's clock;
// and rights that are older than a day. Neither is ever needed for that long: who loses its private file tries again.
// Lists the directory, so it is done only after something stale was found. What cannot be removed stays.
void sweep_leftovers(const Scene& scene);

}  // namespace rwlease::softlock
