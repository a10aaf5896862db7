// The nodes' clocks, against the file server's and against each other.
#pragma once

#include "file_calls.hpp"
#include "nodes.hpp"
#include "team.hpp"

#include <string>
#include <vector>

namespace rwlease::selftest {

struct NodeClock {
  double offset_seconds = 0;       // how far the node's wall clock is ahead of the file server's
  double uncertainty_seconds = 0;  // half of what the question took, and the step of the server's times
  double rate_error = 0;           // how much faster its CLOCK_BOOTTIME runs than that of rank 0's node; 0.01: 1 %
};

class Clocks {
 public:
  // Collective, all of them. The first readings are taken when it is made.
  explicit Clocks(const Team& all);

  // By node. The longer after the first readings, the better the rates.
  std::vector<NodeClock> measure(const Nodes& nodes, const std::string& place, const TimeStep& step) const;

 private:
  double ahead_of_first() const;  // seconds, by CLOCK_BOOTTIME

  const Team& all_;
  double began_;
  double ahead_at_first_;
};

}  // namespace rwlease::selftest
