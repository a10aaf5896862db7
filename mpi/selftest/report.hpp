// All that is known in the end, the verdict, and the report for programs.
#pragma once

#include "clocks.hpp"
#include "context.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace rwlease::selftest {

struct Report {
  Settings settings;
  Terms terms;
  Nodes nodes;
  std::vector<NodeClock> clocks;
  std::vector<PhaseResult> phases;
  Timings timings;
  std::vector<Stay> stays;
  Clock::time_point began;
  std::chrono::system_clock::time_point started;
  double seconds = 0;
  std::string refusal;             // why it ended before the phases; empty: it did not
  std::vector<std::string> notes;  // what does not tell against the file system, but should be known

  bool certified() const;

  // One line: "CERTIFIED ..." or "REFUSED: ...".
  std::string verdict() const;

  // Why it is refused, one sentence each.
  std::vector<std::string> reasons() const;

  std::uint64_t leases() const;
};

// docs/selftest.md describes the schema, "rwlease-selftest/1"; change both together. ASCII, indented, with a newline at
// the end.
std::string report_json(const Report& report);

}  // namespace rwlease::selftest
