// All that one schedule is made of.
#pragma once

#include "runtime/runtime.hpp"
#include "sim/judge.hpp"
#include "sim/machine.hpp"
#include "sim/network.hpp"
#include "sim/plan.hpp"
#include "sim/random.hpp"
#include "sim/scheduler.hpp"
#include "sim/server.hpp"
#include "sim/statistics.hpp"
#include "sim/trace.hpp"
#include "sim/variant.hpp"

#include <deque>
#include <memory>

namespace rwlease::sim {

struct Process {
  int number = 0;
  Machine* machine = nullptr;
  pid_t pid = 0;
  std::uint64_t start = 0;
  Options options;
  std::unique_ptr<runtime::Runtime> runtime;
  int users = 0;         // tasks of the program itself that are not done
  bool opening = false;  // its calls take no time and nothing happens to them
  bool doomed = false;   // to be killed before anybody goes on
  bool killed = false;   // all its calls fail from now on
  bool ended = false;
  Time stopped_until = 0;
  std::string boot_id;  // of the machine when it started

  bool alive() const { return !killed && !ended && !doomed; }
};

struct World {
  explicit World(Statistics& statistics_in) : statistics(statistics_in) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Statistics& statistics;
  Random random{0};
  Plan plan;
  Variant variant = Variant::none;
  Trace trace;
  Scheduler scheduler{*this};
  Judge judge{*this};
  Server server{judge};
  Network network{*this};
  std::deque<Machine> machines;
  std::deque<Process> processes;
  unsigned tokens = 0;
};

}  // namespace rwlease::sim
