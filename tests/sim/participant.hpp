// The programs that use the lock.
#pragma once

#include "sim/plan.hpp"

namespace rwlease::sim {

struct Machine;
struct Process;
struct World;

// Starts a process on the machine whose threads acquire, hold and release.
Process& start_process(World& world, Machine& machine, const PlannedProcess& planned, Time when);

// One that acquires the write lease once and holds it long enough to clear away what others left.
Process& start_sweeper(World& world, Machine& machine, Time when);

}  // namespace rwlease::sim
