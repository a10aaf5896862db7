#include "sim/incidents.hpp"

#include "sim/names.hpp"
#include "sim/participant.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace rwlease::sim {
namespace {

Process* pick_process(World& world) {
  std::vector<Process*> alive;
  for (Process& process : world.processes) {
    if (process.alive()) alive.push_back(&process);
  }
  return alive.empty() ? nullptr : alive[world.random.below(alive.size())];
}

void doom(World& world, Process& victim) {
  victim.doomed = true;
  world.trace.line(world.scheduler.now(), "INCIDENT", "process " + std::to_string(victim.number) + " is killed");
}

// Sometimes another process is started in its place.
void replace(World& world, const Process& victim) {
  if (world.random.one_in(2)) return;
  const Time when = world.scheduler.now() + world.random.spread(millisecond, 60 * second);
  PlannedProcess planned;
  planned.options = victim.options;
  start_process(world, *victim.machine, planned, when);
}

void crash(World& world, Machine& machine) {
  std::vector<Process*> victims;
  for (Process& process : world.processes) {
    if (process.machine == &machine && process.alive()) victims.push_back(&process);
  }
  machine.boot_id += "+";
  for (Process* victim : victims) doom(world, *victim);
  for (const Process* victim : victims) replace(world, *victim);
}

// Any time, or about as long as others wait for a sign of life.
Time draw_length(World& world, const Process& victim) {
  const Time lease = victim.options.effective_lease().count() * millisecond;
  return world.random.one_in(2) ? world.random.between(lease / 2, lease * 3 / 2)
                                : world.random.spread(second, 200 * second);
}

void pause(World& world, const Process& victim) {
  const Time now = world.scheduler.now();
  if (victim.machine->clock.paused_until() > now) return;
  // As long as the margin allows, or any time.
  const Time margin = victim.options.effective_margin().count() * millisecond;
  const Time length =
      world.random.one_in(2) ? world.random.between(margin / 2, margin * 11 / 10) : draw_length(world, victim);
  victim.machine->clock.pause(now, now + length);
  world.network.trouble_until(now + length);
}

void set_clock(World& world, Machine& machine) {
  const Time step = world.random.spread(100 * millisecond, 4000 * second);
  // Set back, it hides a pause as long: nobody could tell.
  machine.clock.set_wall(world.plan.pauses || world.random.one_in(2) ? step : -step);
}

void remove_all(World& world) { world.server.remove_tree(world.server.root(), "data.rwlease", world.scheduler.now()); }

void happen(World& world, Incident incident) {
  const Time now = world.scheduler.now();
  Process* victim = pick_process(world);
  if (victim == nullptr) return;
  ++world.statistics.incidents[static_cast<std::size_t>(incident)];
  world.trace.line(now, "INCIDENT",
                   std::string(to_string(incident)) + " (process " + std::to_string(victim->number) + ")");
  world.network.trouble_until(now);
  const Time length = draw_length(world, *victim);
  switch (incident) {
    case Incident::kill:
      doom(world, *victim);
      return replace(world, *victim);
    case Incident::crash:
      return crash(world, *victim->machine);
    case Incident::stop:
      victim->stopped_until = std::max(victim->stopped_until, now + length);
      return world.network.trouble_until(now + length);
    case Incident::pause:
      return pause(world, *victim);
    case Incident::cut_off:
      victim->machine->cut_off_until = std::max(victim->machine->cut_off_until, now + length);
      return world.network.trouble_until(now + length);
    case Incident::reboot:
      return world.network.reboot(now + length, now + length + static_cast<Time>(world.random.below(90 * second)));
    case Incident::set_clock:
      return set_clock(world, *victim->machine);
    case Incident::remove_all:
      return remove_all(world);
  }
}

}  // namespace

void let_incidents_happen(World& world, std::uint64_t request) {
  auto& planned = world.plan.incidents;
  while (!planned.empty() && planned.front().call <= request) {
    const Incident incident = planned.front().incident;
    planned.erase(planned.begin());
    happen(world, incident);
  }
  // The dead and the stopped do not get to send it: let the others go on.
  world.scheduler.leave_until(world.scheduler.now());
}

void end_process(World& world, Process& process) {
  if (!process.ended) world.judge.process_dies(process);
  process.doomed = false;
  process.killed = !process.ended;
  auto& running = process.machine->running;
  running.erase(std::remove(running.begin(), running.end(), process.pid), running.end());
  const bool ended = process.ended;
  // A thread that hangs in a request does not keep the process from ending, and does not get to its next one.
  if (!world.scheduler.done(process)) world.network.trouble_until(world.scheduler.now());
  process.killed = true;
  process.runtime->end_everything();
  world.scheduler.unwind(process);
  process.runtime.reset();
  process.killed = !ended;
}

}  // namespace rwlease::sim
