// Clocks of hosts, aligned by what must have come before what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rwlease::cli {

// Something that happened at or after `earlier_at`, by one clock, was over before something else began to be true at or
// before `later_at`, by another: a release before the grant that waited for it. All in ns.
struct Order {
  std::size_t earlier_clock;
  std::int64_t earlier_at;
  std::size_t later_clock;
  std::int64_t later_at;
};

struct Alignment {
  std::vector<std::int64_t> offsets;  // for each clock, what to add to its times
  std::vector<bool> tied;             // is it bound to the first clock by any order?
  std::int64_t contradiction = 0;     // by how much all orders had to be bent so that they agree; 0: they do
};

// `guesses` are offsets to begin with (of wall clocks). They are kept where the orders allow it; a clock that they do
// not allow is moved between the bounds that they set, or to the one that there is. The first clock stays. Clocks are
// taken to run at the same rate.
Alignment align(const std::vector<std::int64_t>& guesses, const std::vector<Order>& orders);

}  // namespace rwlease::cli
