// What every phase is given.
#pragma once

#include "file_calls.hpp"
#include "nodes.hpp"
#include "operations.hpp"
#include "options.hpp"
#include "phase_log.hpp"
#include "referee.hpp"
#include "team.hpp"

#include <rwlease/options.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace rwlease::selftest {

// Durations of the leases used here, and what the file system allows.
struct Terms {
  std::chrono::milliseconds lease{};
  std::chrono::milliseconds interval{};
  std::chrono::nanoseconds time_step{};  // how far apart two times of the file system are at least
  MarkerKind kind = MarkerKind::symlink;

  // Leases that are beaten for by rwlease itself.
  Options options() const;

  // For how long a phase waits for a lease that ought to be free soon.
  std::chrono::nanoseconds patience() const { return std::chrono::seconds(60) + 10 * lease; }
};

// One of a pair of nodes at a time: see Nodes::seats.
struct Seats {
  std::unique_ptr<Team> team;  // none on a rank that is no seat
  int own() const { return team->rank(); }
};

struct Context {
  const Settings& settings;
  const Terms& terms;
  const Nodes& nodes;
  const Team& all;
  const Seats& seats;
  std::string place;  // the self-test's own directory
  const Door& door;
  Referee* referee;  // on rank 0
  Timings& timings;
  std::vector<Stay>& stays;  // on rank 0, for the picture

  Waiting& waiting() const { return all.waiting(); }
  std::string path(const std::string& name) const { return place + "/" + name; }
  bool broken(Breakage breakage) const { return settings.breakage == breakage; }

  // "rank 3 on node07", by seat.
  std::string seat_shown(int seat) const { return nodes.shown(nodes.seats[static_cast<std::size_t>(seat)]); }
};

// The phases. Each is called on all ranks; `budget` is about how long it should take, but each does at least one round.
void test_claims(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_exclusion(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_preference(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_crossing(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_collective(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_freshness(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_heartbeat(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void test_eviction(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);
void measure_cost(Context& context, PhaseLog& log, std::chrono::nanoseconds budget);

}  // namespace rwlease::selftest
