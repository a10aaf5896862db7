// When a marker that shows no life may be taken for dead.
#include "protocol/ledger.hpp"

#include <gtest/gtest.h>

namespace rwlease::protocol {
namespace {

using namespace std::chrono_literals;

class LedgerTest : public ::testing::Test {
 protected:
  static constexpr Nanoseconds window = 90s;

  // One look that is answered at once.
  bool look(Nanoseconds when, fs::Stamp stamp = {7, 100, 100}) { return observe(when, when, stamp); }
  bool observe(Nanoseconds sent, Nanoseconds replied, fs::Stamp stamp = {7, 100, 100}) {
    return ledger_.observe("readers/x", {stamp, sent, replied}, window);
  }
  // Every 10 s from there on; false when one of them said dead.
  bool alive(Nanoseconds from, Nanoseconds to) {
    bool alive = true;
    for (Nanoseconds at = from; at <= to; at += 10s) alive = alive && !look(at);
    return alive;
  }

  Ledger ledger_;
};

TEST_F(LedgerTest, DeadWhenUnchangedForTheWindowAndNotBefore) {
  EXPECT_TRUE(alive(0s, 80s));
  EXPECT_FALSE(look(90s - 1ns));
  EXPECT_TRUE(look(90s));
}

TEST_F(LedgerTest, CountsFromTheReplyOfTheFirstLookToTheSendingOfTheLast) {
  EXPECT_FALSE(observe(0s, 5s));
  EXPECT_TRUE(alive(10s, 90s));
  EXPECT_FALSE(observe(94s, 99s)) << "replied in time, but sent too early";
  EXPECT_TRUE(observe(99s, 99s));
}

TEST_F(LedgerTest, OneLookIsNotEnoughHoweverLate) {
  EXPECT_FALSE(look(0s));
  EXPECT_FALSE(look(900s));
  EXPECT_FALSE(look(1800s));
}

TEST_F(LedgerTest, AGapOfAThirdIsFineAndALargerOneStartsOver) {
  EXPECT_FALSE(look(0s));
  EXPECT_FALSE(look(30s));
  EXPECT_FALSE(look(60s + 1ns)) << "starts over here";
  EXPECT_TRUE(alive(70s, 140s));
  EXPECT_FALSE(look(150s));
  EXPECT_TRUE(look(150s + 1ns));
}

TEST_F(LedgerTest, GapsOfJustAThirdAddUp) {
  EXPECT_FALSE(look(0s));
  EXPECT_FALSE(look(30s));
  EXPECT_FALSE(look(60s));
  EXPECT_TRUE(look(90s));
}

TEST_F(LedgerTest, ALookThatHangsIsAGap) {
  EXPECT_TRUE(alive(0s, 20s));
  EXPECT_FALSE(observe(21s, 200s)) << "the server was away: its holder speaks first";
  EXPECT_TRUE(alive(210s, 280s));
  EXPECT_TRUE(look(290s));
}

TEST_F(LedgerTest, ALookThatWasSentBeforeTheFirstCameBackProvesNothing) {
  EXPECT_FALSE(observe(0s, 10s));
  EXPECT_FALSE(observe(1s, 11s));
  EXPECT_FALSE(observe(2s, 12s));
  EXPECT_TRUE(alive(20s, 90s));
  EXPECT_TRUE(look(100s));
}

class StampTest : public LedgerTest, public ::testing::WithParamInterface<fs::Stamp> {};

TEST_P(StampTest, AnyChangeStartsOver) {
  EXPECT_TRUE(alive(0s, 80s));
  EXPECT_FALSE(look(90s, GetParam()));
  EXPECT_FALSE(look(100s)) << "and so does a change back";
  EXPECT_TRUE(alive(110s, 180s));
  EXPECT_TRUE(look(190s));
}

// Earlier, later, or off by years: only that it differs counts.
INSTANTIATE_TEST_SUITE_P(Each, StampTest,
                         ::testing::Values(fs::Stamp{8, 100, 100}, fs::Stamp{7, 101, 100}, fs::Stamp{7, 99, 100},
                                           fs::Stamp{7, 100, 101}, fs::Stamp{7, INT64_MIN, 100},
                                           fs::Stamp{7, 100, INT64_MAX}));

TEST_F(LedgerTest, AStampFarFromAnyClockIsAsGoodAsAnother) {
  const fs::Stamp odd{7, INT64_MAX, INT64_MIN};
  for (Nanoseconds at = 0s; at < 90s; at += 10s) EXPECT_FALSE(look(at, odd));
  EXPECT_TRUE(look(90s, odd));
}

TEST_F(LedgerTest, AMarkerThatWentStartsOver) {
  EXPECT_TRUE(alive(0s, 80s));
  ledger_.forget("readers/x");
  EXPECT_TRUE(alive(90s, 170s));
  EXPECT_TRUE(look(180s));
}

TEST_F(LedgerTest, EachNameHasItsOwnWindow) {
  EXPECT_TRUE(alive(0s, 80s));
  EXPECT_FALSE(ledger_.observe("readers/y", {{7, 100, 100}, 90s, 90s}, window));
  EXPECT_TRUE(look(90s));
}

TEST_F(LedgerTest, DoesNotGrowForEver) {
  for (int i = 0; i < 10'000; ++i) {
    const Nanoseconds at = std::chrono::seconds(i);
    ledger_.observe("readers/" + std::to_string(i), {{7, 1, 1}, at, at}, window);
  }
  EXPECT_LE(ledger_.size(), 1100U);
}

}  // namespace
}  // namespace rwlease::protocol
