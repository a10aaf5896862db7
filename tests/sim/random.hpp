// The one source of chance in a schedule: the same seed, the same schedule.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rwlease::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU) {}

  // splitmix64
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>((next() >> 32U) * limit >> 32U); }
  std::int64_t between(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(to - from + 1));
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

  // From the smallest to the largest, each order of magnitude as likely as any other.
  std::int64_t spread(std::int64_t smallest, std::int64_t largest) {
    std::int64_t limit = smallest;
    std::size_t doublings = 0;
    while (limit < largest / 2) {
      limit *= 2;
      ++doublings;
    }
    const std::int64_t low = smallest << below(doublings + 1);
    return between(low, low * 2 < largest ? low * 2 : largest);
  }

  template <class T, std::size_t N>
  const T& pick(const T (&choices)[N]) {
    return choices[below(N)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace rwlease::sim
