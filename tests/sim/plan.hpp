// What a seed stands for: who takes part, how the mount behaves, what goes wrong and when.
#pragma once

#include "sim/random.hpp"
#include "sim/time.hpp"

#include <rwlease/lease.hpp>
#include <rwlease/options.hpp>

#include <optional>
#include <vector>

namespace rwlease::sim {

// What becomes of a request.
enum class Fault {
  none,
  refused,       // an error, not carried out
  full,          // no space or quota for a new entry
  reply_lost,    // carried out, but the client gives up before it knows
  late,          // the client gives up, and it is carried out later
  repeated,      // its reply is lost, the client sends it again, and it is carried out twice
  stale,         // ESTALE, though the entry is there
  slow_request,  // takes long to get there
  slow_reply,    // its reply takes long
};
inline constexpr int fault_kinds = 9;
const char* to_string(Fault fault);

// What happens to more than one request.
enum class Incident {
  kill,        // a process
  crash,       // a host
  stop,        // a process stands still (SIGSTOP, swapped out, starved)
  pause,       // a machine stands still without noticing
  cut_off,     // a host from the server
  reboot,      // of the server: grace afterwards
  set_clock,   // a wall clock
  remove_all,  // an administrator removes the lock directory
};
inline constexpr int incident_kinds = 8;
const char* to_string(Incident incident);

struct PlannedIncident {
  std::uint64_t call;  // before the how manieth call of all
  Incident incident;
};

// A time, drawn between these.
struct Span {
  Time from = 0;
  Time to = 0;
};

struct PlannedProcess {
  int machine = 0;
  int threads = 1;
  int rounds = 1;
  Options options;

  // Where chance is not to decide:
  std::optional<Mode> mode;
  std::vector<Span> arrivals;  // for each round, since the beginning
  std::optional<Span> holds;
};

struct Plan {
  // The mount.
  bool exact = true;
  Time tick = 1;
  Time attributes_last = 60 * second;
  bool asks_at_open = true;
  int chunk = 1000;
  bool file_markers = false;
  Time shortest_latency = 100 * microsecond;
  Time longest_latency = millisecond;
  bool uneven = false;           // every other host is always as fast as can be
  unsigned forgets_one_in = 64;  // of what the cache knows; 0: never
  bool opening_matters = false;  // making and opening the lock directory is part of it

  // What goes wrong.
  unsigned faults_left = 0;
  unsigned fault_one_in = 1;
  Fault faults[4] = {};
  std::size_t fault_choices = 0;
  std::vector<PlannedIncident> incidents;
  bool pauses = false;  // one of them is a pause

  Time arrive_within = 20 * second;
  bool contended = false;  // all hold for long and wait as long as it takes
  int machines = 1;
  std::vector<PlannedProcess> processes;
  double fastest = 1.04;  // of the clocks; the slowest is as much behind
};

Plan draw_plan(Random& random);

}  // namespace rwlease::sim
