// How long a waiter sleeps between polls.
#pragma once

#include "runtime/threads.hpp"

#include <algorithm>
#include <optional>
#include <random>

namespace rwlease::runtime {

// From the shortest pause to the longest, half as long again each time, a fifth up or down at random so that waiters
// don't poll in step. One thread.
class BackOff {
 public:
  // `threads` gives a seed at the first pause: drawing one costs as much as a lease that nobody is in the way of.
  BackOff(fs::Nanoseconds shortest, fs::Nanoseconds longest, Threads& threads)
      : shortest_(shortest), longest_(longest), next_(shortest), threads_(threads) {}

  fs::Nanoseconds pause() {
    if (!random_) random_.emplace(threads_.random_seed());
    std::uniform_real_distribution<double> around(0.8, 1.2);
    const auto jittered = std::chrono::duration_cast<fs::Nanoseconds>(next_ * around(*random_));
    next_ = std::min(next_ * 3 / 2, longest_);
    return std::min(jittered, longest_);
  }

  // Something moved: it may be our turn soon.
  void reset() noexcept { next_ = shortest_; }

 private:
  const fs::Nanoseconds shortest_;
  const fs::Nanoseconds longest_;
  fs::Nanoseconds next_;
  Threads& threads_;
  std::optional<std::minstd_rand> random_;
};

}  // namespace rwlease::runtime
