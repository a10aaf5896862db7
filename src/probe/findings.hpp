// What was measured in the directories, and what it comes down to.
#pragma once

#include "probe/between_mounts.hpp"
#include "probe/checks.hpp"
#include "probe/lease_cost.hpp"
#include "probe/mount.hpp"
#include "probe/server_time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::probe {

struct DirectoryFindings {
  std::string directory;
  std::optional<Mount> mount;  // unset: the kernel does not say
  TimeStep time_step;
  std::optional<ClockOffset> clock;  // unset: times cannot be set
  std::vector<Check> checks;         // empty where times cannot be set
  std::vector<CallCost> costs;       // empty: there was no use in it
};

struct Findings {
  std::vector<DirectoryFindings> directories;
  std::vector<Freshness> freshness;  // for each ordered pair of directories
  std::vector<std::string> remarks;  // that do not tell against them
  std::vector<std::string> apart;    // pairs that are not one directory, as sentences
};

struct Advice {
  std::vector<std::string> against;  // why it cannot be used; empty: it can
  std::vector<std::string> notes;    // what should be known
  std::chrono::milliseconds interval{30'000};
  std::chrono::milliseconds lease{90'000};
  std::chrono::milliseconds shortest_lease{0};  // below this, heartbeats may come too late
};

// Of all together: one lease for all hosts that share the directory.
Advice advise(const Findings& findings);

}  // namespace rwlease::probe
