#include "context.hpp"

#include <algorithm>

namespace rwlease::selftest {

Options Terms::options() const {
  Options options;
  options.interval = interval;
  options.lease = lease;
  options.poll_min = std::chrono::milliseconds(2);
  options.poll_max = std::min({std::chrono::milliseconds(100), interval, lease / 5});
  options.label = "rwlease-selftest";
  return options;
}

}  // namespace rwlease::selftest
