// What an uncontended lease costs.
#pragma once

#include "probe/mount.hpp"
#include "probe/requests.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rwlease::probe {

struct CallCost {
  std::string call;  // "acquire_read"
  std::chrono::nanoseconds median{};
  std::chrono::nanoseconds worst{};
  Requests requests;  // of the round that took fewest; empty where that is not known
};

// Takes and releases leases on a name in the directory until there are enough figures. `between` is called between two
// leases and may throw.
std::vector<CallCost> measure_lease_cost(const std::string& directory, const Mount& mount,
                                         const std::function<void()>& between);

}  // namespace rwlease::probe
