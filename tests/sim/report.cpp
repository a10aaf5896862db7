#include "sim/report.hpp"

#include <iomanip>
#include <utility>

namespace rwlease::sim {
namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

Counts work(const Statistics& s) { return {{"schedules", s.schedules}, {"steps", s.steps}, {"requests", s.requests}}; }

Counts outcomes(const Statistics& s) {
  return {{"read leases", s.reads},       {"write leases", s.writes},   {"downgrades", s.downgrades},
          {"timeouts", s.timeouts},       {"cancelled", s.cancelled},   {"errors", s.errors},
          {"suspensions", s.suspensions}, {"renewals", s.renewals},     {"losses", s.losses},
          {"evictions", s.evictions},     {"swept afterwards", s.swept}};
}

Counts staleness(const Statistics& s) {
  return {{"stale names", s.stale_names},
          {"stale attributes", s.stale_attributes},
          {"stale listings", s.stale_listings},
          {"torn listings", s.torn_listings}};
}

Counts faults(const Statistics& s) {
  Counts counts;
  for (std::size_t i = 1; i < s.faults.size(); ++i) counts.emplace_back(to_string(static_cast<Fault>(i)), s.faults[i]);
  return counts;
}

Counts incidents(const Statistics& s) {
  Counts counts;
  for (std::size_t i = 0; i < s.incidents.size(); ++i) {
    counts.emplace_back(to_string(static_cast<Incident>(i)), s.incidents[i]);
  }
  return counts;
}

void print(std::ostream& out, const char* heading, const Counts& counts) {
  out << heading << '\n';
  for (const auto& [name, count] : counts) out << "  " << std::setw(24) << std::left << name << count << '\n';
}

}  // namespace

void print(std::ostream& out, const Statistics& statistics) {
  print(out, "work", work(statistics));
  print(out, "outcomes", outcomes(statistics));
  print(out, "answers from caches that were wrong", staleness(statistics));
  print(out, "requests that met an accident", faults(statistics));
  print(out, "accidents of processes, hosts and the server", incidents(statistics));
  out << std::flush;
}

std::vector<std::string> never_met(const Statistics& statistics) {
  std::vector<std::string> missing;
  for (const Counts& counts :
       {work(statistics), outcomes(statistics), staleness(statistics), faults(statistics), incidents(statistics)}) {
    for (const auto& [name, count] : counts) {
      if (count == 0) missing.push_back(name);
    }
  }
  return missing;
}

}  // namespace rwlease::sim
