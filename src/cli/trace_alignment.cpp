#include "trace_alignment.hpp"

#include <algorithm>
#include <limits>

namespace rwlease::cli {
namespace {

// Far from overflow, farther than any two clocks.
constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max() / 4;

// bounds[a][b]: by how much the correction of clock a may be greater than that of b, at most.
using Bounds = std::vector<std::vector<std::int64_t>>;

Bounds bounds_of(const std::vector<std::int64_t>& guesses, const std::vector<Order>& orders, std::int64_t slack) {
  Bounds bounds(guesses.size(), std::vector<std::int64_t>(guesses.size(), unbounded));
  for (const Order& order : orders) {
    const std::int64_t room =
        (order.later_at + guesses[order.later_clock]) - (order.earlier_at + guesses[order.earlier_clock]) + slack;
    auto& bound = bounds[order.earlier_clock][order.later_clock];
    bound = std::min(bound, room);
  }
  for (std::size_t i = 0; i < guesses.size(); ++i) bounds[i][i] = std::min<std::int64_t>(bounds[i][i], 0);
  return bounds;
}

// What follows from several orders in a row. False when they contradict each other.
bool close(Bounds& bounds) {
  const std::size_t count = bounds.size();
  for (std::size_t via = 0; via < count; ++via) {
    for (std::size_t a = 0; a < count; ++a) {
      if (bounds[a][via] == unbounded) continue;
      for (std::size_t b = 0; b < count; ++b) {
        if (bounds[via][b] == unbounded) continue;
        bounds[a][b] = std::min(bounds[a][b], bounds[a][via] + bounds[via][b]);
      }
      if (bounds[a][a] < 0) return false;
    }
  }
  return true;
}

// The least slack with which the orders agree.
std::int64_t least_slack(const std::vector<std::int64_t>& guesses, const std::vector<Order>& orders, Bounds& bounds) {
  std::int64_t too_little = -1;
  std::int64_t enough = 0;
  const auto agree = [&](std::int64_t slack) {
    bounds = bounds_of(guesses, orders, slack);
    return close(bounds);
  };
  while (!agree(enough)) {
    too_little = enough;
    enough = enough == 0 ? 1 : enough * 2;
  }
  while (enough - too_little > 1) {
    const std::int64_t middle = too_little + (enough - too_little) / 2;
    (agree(middle) ? enough : too_little) = middle;
  }
  static_cast<void>(agree(enough));
  return enough;
}

// As near to none as the clocks before it allow.
std::int64_t correction_of(std::size_t clock, const std::vector<std::int64_t>& before, const Bounds& bounds) {
  std::int64_t least = -unbounded;
  std::int64_t most = unbounded;
  for (std::size_t other = 0; other < before.size(); ++other) {
    if (bounds[other][clock] != unbounded) least = std::max(least, before[other] - bounds[other][clock]);
    if (bounds[clock][other] != unbounded) most = std::min(most, before[other] + bounds[clock][other]);
  }
  if (least <= 0 && most >= 0) return 0;
  if (least != -unbounded && most != unbounded) return least + (most - least) / 2;
  return least != -unbounded ? least : most;
}

}  // namespace

Alignment align(const std::vector<std::int64_t>& guesses, const std::vector<Order>& orders) {
  Alignment alignment;
  Bounds bounds;
  alignment.contradiction = least_slack(guesses, orders, bounds);
  std::vector<std::int64_t> corrections;
  for (std::size_t clock = 0; clock < guesses.size(); ++clock) {
    corrections.push_back(clock == 0 ? 0 : correction_of(clock, corrections, bounds));
    alignment.offsets.push_back(guesses[clock] + corrections[clock]);
    alignment.tied.push_back(bounds[0][clock] != unbounded || bounds[clock][0] != unbounded);
  }
  return alignment;
}

}  // namespace rwlease::cli
