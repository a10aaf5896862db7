#include "sim/simulation.hpp"

#include "protocol/names.hpp"
#include "sim/incidents.hpp"
#include "sim/names.hpp"
#include "sim/participant.hpp"

#include <algorithm>

namespace rwlease::sim {
namespace {

// Long after the last trouble all must have had their turns.
constexpr Time patience = 20'000 * second;
constexpr std::uint64_t most_steps = 50'000;

}  // namespace

Outcome Simulation::run(std::uint64_t seed, Variant variant, const Adjust& adjust) {
  set_up(seed, variant, adjust);
  start_all();
  run_to_the_end();
  if (world_.judge.violation() == Violation::none) check_what_is_left();
  clear_away();
  ++world_.statistics.schedules;
  return {world_.judge.violation(), world_.judge.description(), world_.trace.digest()};
}

void Simulation::set_up(std::uint64_t seed, Variant variant, const Adjust& adjust) {
  world_.random = Random(seed);
  world_.variant = variant;
  world_.plan = draw_plan(world_.random);
  if (adjust) adjust(world_.plan);
  world_.trace.restart();
  world_.tokens = 0;
  world_.judge.restart();
  world_.network.restart();
  world_.server.restart(world_.plan.exact, world_.plan.tick,
                        1'700'000'000 * second + static_cast<Time>(world_.random.below(3600 * second)),
                        world_.random.next());
  if (!world_.plan.opening_matters) {
    const Handle directory = world_.server.make(world_.server.root(), "data.rwlease", fs::Type::directory, 0700, 0);
    world_.server.make(directory, protocol::readers_name, fs::Type::directory, 0700, 0);
  }
}

Machine& Simulation::add_machine() {
  if (used_machines_ == world_.machines.size()) world_.machines.emplace_back();
  Machine& machine = world_.machines[used_machines_++];
  machine.number = static_cast<int>(used_machines_);
  machine.name = "node" + std::to_string(machine.number);
  machine.boot_id = "boot-" + std::to_string(machine.number);
  const double slowest = 2 - world_.plan.fastest;
  const double rate =
      slowest + (world_.plan.fastest - slowest) * static_cast<double>(world_.random.below(1001)) / 1000.0;
  // Whose clock runs three times as fast takes a third of the lease for all of it.
  const bool hasty = world_.variant == Variant::early_eviction && machine.number == 1;
  machine.clock = MachineClock(hasty ? 3 * rate : rate, world_.random.spread(second, 10'000'000 * second),
                               world_.random.spread(second, 2'000'000'000 * second));
  machine.running.clear();
  machine.cut_off_until = 0;
  machine.cache.clear();
  return machine;
}

void Simulation::start_all() {
  used_machines_ = 0;
  for (int i = 0; i < world_.plan.machines; ++i) add_machine();
  for (const PlannedProcess& planned : world_.plan.processes) {
    start_process(world_, world_.machines[static_cast<std::size_t>(planned.machine)], planned, 0);
  }
}

void Simulation::run_to_the_end() {
  const std::uint64_t last_step = world_.statistics.steps + most_steps;
  while (users_left() && world_.judge.violation() == Violation::none) {
    if (world_.network.next_late() < world_.scheduler.next_time()) {
      world_.network.carry_out_late();
    } else if (!world_.scheduler.run_next()) {
      return world_.judge.found(Violation::stuck, "all wait for ever");
    }
    end_those_that_are_over();
    world_.judge.check();
    ++world_.statistics.steps;
    const bool late = world_.scheduler.now() > world_.network.last_trouble() + patience;
    if (late || world_.statistics.steps > last_step) {
      world_.judge.found(Violation::stuck, late ? "long after all trouble was over" : "too many steps");
    }
  }
}

bool Simulation::users_left() const {
  return std::any_of(world_.processes.begin(), world_.processes.end(),
                     [](const Process& process) { return process.alive(); });
}

void Simulation::end_those_that_are_over() {
  for (Process& process : world_.processes) {
    if (process.runtime && (process.doomed || process.ended)) end_process(world_, process);
  }
}

std::string Simulation::leftovers() const {
  const Server& server = world_.server;
  const Handle directory = server.lock_directory();
  if (directory == no_handle) return "";
  std::string found;
  int fences = 0;
  const auto collect = [&](Handle in, const std::string& path) {
    const Node& node = server.node(in);
    for (std::size_t i = 0; i < node.size; ++i) {
      const std::string& name = node.entries[i].name;
      if (protocol::fence_number(name) && ++fences == 1) continue;
      if (path + name != protocol::readers_name) found += " " + path + shortened(name);
    }
  };
  collect(directory, "");
  const Handle readers = server.find(directory, protocol::readers_name);
  if (readers != no_handle) collect(readers, "readers/");
  return found;
}

// The dead, and requests that were carried out late, leave things behind; the next writers clear them away.
void Simulation::check_what_is_left() {
  while (world_.network.next_late() != never) world_.network.carry_out_late();
  const std::string left = leftovers();
  if (left.empty()) return;
  if (world_.network.troubles() == 0) return world_.judge.found(Violation::leftover, left);
  ++world_.statistics.swept;
  world_.trace.line(world_.scheduler.now(), "LEFT", left);
  world_.plan.incidents.clear();
  world_.plan.faults_left = 0;
  world_.plan.shortest_latency = 100 * microsecond;
  world_.plan.longest_latency = millisecond;
  start_sweeper(world_, add_machine(), world_.scheduler.now());
  run_to_the_end();
  const std::string still = leftovers();
  if (!still.empty()) world_.judge.found(Violation::leftover, "not cleared away:" + still);
}

void Simulation::clear_away() {
  for (Process& process : world_.processes) {
    if (process.runtime) end_process(world_, process);
  }
  world_.processes.clear();
  world_.scheduler.clear();
}

}  // namespace rwlease::sim
