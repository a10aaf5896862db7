// Accidents that befall processes, hosts and the server.
#pragma once

#include <cstdint>

namespace rwlease::sim {

struct Process;
struct World;

// Those that are due before this request of the task that runs; the task itself may be a victim.
void let_incidents_happen(World& world, std::uint64_t request);

// Ends a process at once: what it had asked for may still be carried out.
void end_process(World& world, Process& process);

}  // namespace rwlease::sim
