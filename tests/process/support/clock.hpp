// The clock that test programs and participants stamp events with.
#pragma once

#include <chrono>
#include <ctime>

namespace rwlease::test {

// CLOCK_MONOTONIC: the same for all processes of a host.
inline std::chrono::nanoseconds monotonic_now() noexcept {
  struct timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace rwlease::test
