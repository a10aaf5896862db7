// Repeats a step of several ranks until its time is over, equally often on all.
#pragma once

#include "team.hpp"

#include <chrono>

namespace rwlease::selftest {

class Rounds {
 public:
  Rounds(const Team& team, std::chrono::nanoseconds budget) : team_(team), end_(Clock::now() + budget) {}

  // Collective: another one? Always so the first time.
  bool next() { return done_++ == 0 || team_.from(0, Clock::now() < end_ ? 1 : 0) != 0; }

  // From 0.
  int number() const noexcept { return done_ - 1; }

 private:
  const Team& team_;
  Clock::time_point end_;
  int done_ = 0;
};

}  // namespace rwlease::selftest
