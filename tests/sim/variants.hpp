// Deliberate faults, wrapped around the seam.
#pragma once

#include "fs/directory.hpp"
#include "sim/variant.hpp"

#include <memory>

namespace rwlease::sim {

struct World;

// The lock directory as a faulty program would use it; itself where the schedule has no such variant.
std::unique_ptr<fs::Directory> with_variant(const World& world, std::unique_ptr<fs::Directory> directory);

}  // namespace rwlease::sim
