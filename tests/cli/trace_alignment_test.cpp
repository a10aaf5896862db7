// Clocks of several hosts, from what must have come before what.
#include "trace_alignment.hpp"

#include <gmock/gmock.h>

namespace rwlease::cli {
namespace {

using testing::ElementsAre;

// Do the offsets put everything in order, give or take the slack?
void expect_in_order(const Alignment& alignment, const std::vector<Order>& orders) {
  for (const Order& order : orders) {
    EXPECT_LE(order.earlier_at + alignment.offsets[order.earlier_clock],
              order.later_at + alignment.offsets[order.later_clock] + alignment.contradiction);
  }
}

TEST(Alignment, KeepsWallClocksThatNothingContradicts) {
  const std::vector<Order> orders{{0, 100, 1, 250}, {1, 260, 0, 300}};
  const Alignment alignment = align({0, 0}, orders);
  EXPECT_THAT(alignment.offsets, ElementsAre(0, 0));
  EXPECT_THAT(alignment.tied, ElementsAre(true, true));
  EXPECT_EQ(alignment.contradiction, 0);
}

TEST(Alignment, WithoutAnyOrderGoesByWallClocks) {
  const Alignment alignment = align({5, 700, 9}, {});
  EXPECT_THAT(alignment.offsets, ElementsAre(5, 700, 9));
  EXPECT_THAT(alignment.tied, ElementsAre(true, false, false));
}

// The grant on host 1 seems to be three hours before the release on host 0 that it waited for.
TEST(Alignment, MovesAGrantBehindItsRelease) {
  const std::vector<Order> orders{{0, 10'800'100, 1, 50}};
  const Alignment alignment = align({0, 0}, orders);
  EXPECT_THAT(alignment.offsets, ElementsAre(0, 10'800'050));
  EXPECT_TRUE(alignment.tied[1]);
}

TEST(Alignment, TakesTheMiddleBetweenTwoBounds) {
  // Between 1000 and 1100 by one way and the other.
  const std::vector<Order> orders{{0, 1'000, 1, 0}, {1, 0, 0, 1'100}};
  EXPECT_THAT(align({0, 0}, orders).offsets, ElementsAre(0, 1'050));
}

TEST(Alignment, OfAClockThatIsAheadMovesItBack) {
  const std::vector<Order> orders{{1, 5'000, 0, 100}};
  EXPECT_THAT(align({0, 0}, orders).offsets, ElementsAre(0, -4'900));
}

TEST(Alignment, FollowsChainsOverHostsThatNeverMet) {
  // 0 before 1, 1 before 2: so 2 is bound to 0 as well.
  const std::vector<Order> orders{{0, 1'000, 1, 0}, {1, 500, 2, 0}, {2, 10, 0, 2'000}};
  const Alignment alignment = align({0, 0, 0}, orders);
  expect_in_order(alignment, orders);
  EXPECT_EQ(alignment.contradiction, 0);
  EXPECT_THAT(alignment.tied, ElementsAre(true, true, true));
}

TEST(Alignment, OfManyHostsWithWrongClocksPutsEverythingInOrder) {
  // Host h's clock is off by errors[h]; the truth is a chain of grants, each 10 after the one before.
  const std::vector<std::int64_t> errors{0, 7'200'000, -350, 90'000, -1'000'000'000, 42};
  std::vector<Order> orders;
  for (std::int64_t step = 0; step < 60; ++step) {
    const auto from = static_cast<std::size_t>(step * 7 % 6);
    const auto to = static_cast<std::size_t>((step * 7 + 1 + step % 4) % 6);
    if (from != to) orders.push_back({from, step * 10 + errors[from], to, step * 10 + 9 + errors[to]});
  }
  const Alignment alignment = align(std::vector<std::int64_t>(6, 0), orders);
  EXPECT_EQ(alignment.contradiction, 0);
  expect_in_order(alignment, orders);
}

TEST(Alignment, OfOrdersThatContradictEachOtherTellsByHowMuch) {
  const std::vector<Order> orders{{0, 100, 1, 0}, {1, 0, 0, 40}};  // at least 100, at most 40
  const Alignment alignment = align({0, 0}, orders);
  EXPECT_EQ(alignment.contradiction, 30) << "each of the two is bent by half of it";
  expect_in_order(alignment, orders);
}

}  // namespace
}  // namespace rwlease::cli
