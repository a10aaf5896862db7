// Durations for tests.
#pragma once

#include <rwlease/options.hpp>

namespace rwlease::mpi::test {

// A lease that no test outlives, even on a slow machine: for what does not depend on leases running out.
inline Options steady() {
  Options options;
  options.interval = std::chrono::seconds(10);
  options.lease = std::chrono::seconds(60);
  options.poll_max = std::chrono::milliseconds(100);
  return options;
}

// A lease that runs out soon: for what is about running out.
inline Options brief() {
  Options options;
  options.interval = std::chrono::milliseconds(300);
  options.lease = std::chrono::milliseconds(3000);
  options.poll_max = std::chrono::milliseconds(50);
  return options;
}

}  // namespace rwlease::mpi::test
