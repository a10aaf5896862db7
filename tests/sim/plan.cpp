#include "sim/plan.hpp"

#include <algorithm>

namespace rwlease::sim {
namespace {

using std::chrono::milliseconds;

void draw_mount(Random& random, Plan& plan) {
  plan.exact = random.one_in(2);
  plan.tick = random.pick<Time>({1, 4 * millisecond, 4 * millisecond, second});
  plan.attributes_last = random.pick<Time>({3 * second, 60 * second, 600 * second});
  plan.asks_at_open = random.one_in(2);
  plan.chunk = random.pick<int>({1, 1, 2, 1000});
  plan.file_markers = random.one_in(16);
  plan.forgets_one_in = random.pick<unsigned>({0, 64});
  plan.shortest_latency = random.pick<Time>({10 * microsecond, 100 * microsecond, millisecond});
  plan.longest_latency = random.pick<Time>({millisecond, 50 * millisecond, 3 * second, 8 * second});
  plan.uneven = random.one_in(3);
  plan.opening_matters = random.one_in(8);
}

void draw_faults(Random& random, Plan& plan) {
  constexpr Fault all[] = {Fault::refused,      Fault::full,         Fault::reply_lost, Fault::late,
                           Fault::late,         Fault::repeated,     Fault::repeated,   Fault::stale,
                           Fault::slow_request, Fault::slow_request, Fault::slow_reply, Fault::slow_reply};
  if (random.one_in(4)) return;
  plan.faults_left = static_cast<unsigned>(1 + random.below(6));
  plan.fault_one_in = random.pick<unsigned>({2, 5, 10, 25});
  plan.fault_choices = 1 + random.below(4);
  for (std::size_t i = 0; i < plan.fault_choices; ++i) plan.faults[i] = random.pick(all);
}

void draw_incidents(Random& random, Plan& plan) {
  constexpr Incident all[] = {Incident::kill,    Incident::kill,   Incident::crash,    Incident::stop,
                              Incident::stop,    Incident::stop,   Incident::pause,    Incident::pause,
                              Incident::cut_off, Incident::reboot, Incident::set_clock};
  const std::size_t count = random.pick<std::size_t>({0, 0, 1, 1, 1, 2, 3});
  for (std::size_t i = 0; i < count; ++i) {
    const Incident incident = random.one_in(32) ? Incident::remove_all : random.pick(all);
    plan.incidents.push_back({1 + random.below(80), incident});
    plan.pauses = plan.pauses || incident == Incident::pause;
  }
  std::sort(plan.incidents.begin(), plan.incidents.end(), [](const auto& a, const auto& b) { return a.call < b.call; });
}

Options draw_options(Random& random) {
  Options options;
  options.interval = milliseconds(10'000);
  const milliseconds lease = random.pick<milliseconds>(
      {milliseconds(30'000), milliseconds(30'000), milliseconds(20'000), milliseconds(60'000)});
  options.lease = lease;
  options.margin = random.one_in(4) ? lease / 5 : lease / 10;
  options.poll_min = random.pick<milliseconds>({milliseconds(50), milliseconds(1000)});
  options.poll_max = random.pick<milliseconds>({milliseconds(1000), lease / 6});
  options.sole = !random.one_in(3);
  options.renew = !random.one_in(8);
  options.job = "0";  // not from the environment
  return options;
}

}  // namespace

Plan draw_plan(Random& random) {
  Plan plan;
  draw_mount(random, plan);
  draw_faults(random, plan);
  draw_incidents(random, plan);
  plan.arrive_within = random.pick<Time>({20 * second, 20 * second, 100 * second});
  plan.contended = random.one_in(8);
  const int processes = random.pick<int>({2, 2, 2, 3, 3, 4});
  plan.machines = 1 + static_cast<int>(random.below(static_cast<std::size_t>(processes)));
  for (int i = 0; i < processes; ++i) {
    PlannedProcess process;
    process.machine = i % plan.machines;
    process.threads = random.one_in(8) ? 2 : 1;
    process.rounds = static_cast<int>(1 + random.below(2));
    process.options = draw_options(random);
    plan.processes.push_back(process);
  }
  return plan;
}

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::refused:
      return "refused";
    case Fault::full:
      return "full";
    case Fault::reply_lost:
      return "reply lost";
    case Fault::late:
      return "carried out late";
    case Fault::repeated:
      return "carried out twice";
    case Fault::stale:
      return "stale";
    case Fault::slow_request:
      return "slow request";
    case Fault::slow_reply:
      return "slow reply";
  }
  return "";
}

const char* to_string(Incident incident) {
  switch (incident) {
    case Incident::kill:
      return "process killed";
    case Incident::crash:
      return "host crashed";
    case Incident::stop:
      return "process stopped";
    case Incident::pause:
      return "machine paused";
    case Incident::cut_off:
      return "host cut off";
    case Incident::reboot:
      return "server rebooted";
    case Incident::set_clock:
      return "wall clock set";
    case Incident::remove_all:
      return "lock directory removed";
  }
  return "";
}

}  // namespace rwlease::sim
