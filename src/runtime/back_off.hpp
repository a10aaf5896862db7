// How long a waiter sleeps between polls.
#pragma once

#include "fs/clock.hpp"

#include <algorithm>
#include <random>

namespace rwlease::runtime {

// From the shortest pause to the longest, half as long again each time, a fifth up or down at random so that waiters
// don't poll in step. One thread.
class BackOff {
 public:
  BackOff(fs::Nanoseconds shortest, fs::Nanoseconds longest)
      : shortest_(shortest), longest_(longest), next_(shortest), random_(std::random_device{}()) {}

  fs::Nanoseconds pause() {
    std::uniform_real_distribution<double> around(0.8, 1.2);
    const auto jittered = std::chrono::duration_cast<fs::Nanoseconds>(next_ * around(random_));
    next_ = std::min(next_ * 3 / 2, longest_);
    return std::min(jittered, longest_);
  }

  // Something moved: it may be our turn soon.
  void reset() noexcept { next_ = shortest_; }

 private:
  const fs::Nanoseconds shortest_;
  const fs::Nanoseconds longest_;
  fs::Nanoseconds next_;
  std::minstd_rand random_;
};

}  // namespace rwlease::runtime
