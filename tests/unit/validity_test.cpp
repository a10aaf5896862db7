// Until when a holder may believe in its lease.
#include "protocol/validity.hpp"

#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

namespace rwlease::test {
namespace {

using namespace std::chrono_literals;
using fs::Instant;
using protocol::Validity;

class ValidityTest : public ::testing::Test {
 protected:
  Instant now() const { return Instant::now(clock_); }
  void start() { validity_.start(now()); }

  ManualClock clock_;
  Validity validity_{90s, 9s};
};

TEST_F(ValidityTest, NothingIsInForceBeforeItStarts) { EXPECT_FALSE(validity_.in_force(clock_)); }

TEST_F(ValidityTest, LastsForTheLeaseLessTheMargin) {
  start();
  EXPECT_EQ(validity_.remaining(clock_), 81s);
  clock_.advance(81s - 1ns);
  EXPECT_EQ(validity_.remaining(clock_), 1ns);
  clock_.advance(1ns);
  EXPECT_FALSE(validity_.in_force(clock_));
  EXPECT_EQ(validity_.remaining(clock_), 0ns);
}

TEST_F(ValidityTest, CountsFromTheSendingNotFromTheReply) {
  const Instant sent = now();
  clock_.advance(20s);
  validity_.start(sent);
  EXPECT_EQ(validity_.remaining(clock_), 61s);
}

TEST_F(ValidityTest, AHeartbeatInTimeGoesOnFromItsSending) {
  start();
  clock_.advance(30s);
  const Instant sent = now();
  clock_.advance(10s);
  EXPECT_TRUE(validity_.extend(sent, clock_));
  EXPECT_EQ(validity_.remaining(clock_), 71s);
}

TEST_F(ValidityTest, AHeartbeatThatComesBackLateDoesNotCount) {
  start();
  clock_.advance(30s);
  const Instant sent = now();
  clock_.advance(51s);
  EXPECT_FALSE(validity_.extend(sent, clock_));
  EXPECT_FALSE(validity_.in_force(clock_));
}

TEST_F(ValidityTest, AMachineThatStoodStillForMoreThanTheMarginIsOver) {
  start();
  clock_.advance_real(9s);
  EXPECT_TRUE(validity_.in_force(clock_));
  clock_.advance_real(1ns);
  EXPECT_FALSE(validity_.in_force(clock_));
  EXPECT_FALSE(validity_.extend(now(), clock_));
}

// The margin is for clocks that run at different rates; a pause must not use it up.
TEST_F(ValidityTest, AShortPauseOfTheMachineIsTimeThatHasPassed) {
  start();
  clock_.advance(30s);
  clock_.advance_real(8s);
  EXPECT_EQ(validity_.remaining(clock_), 81s - 38s);
}

TEST_F(ValidityTest, AWallClockThatIsSetBackDoesNotMatter) {
  start();
  clock_.advance_real(-10h);
  EXPECT_EQ(validity_.remaining(clock_), 81s);
  clock_.advance(30s);
  EXPECT_TRUE(validity_.extend(now(), clock_));
  EXPECT_EQ(validity_.remaining(clock_), 81s);
}

// The machine stood still for a moment while the heartbeat was under way, and again later: together more than the
// margin.
TEST_F(ValidityTest, APauseDuringTheHeartbeatIsNotForgotten) {
  start();
  clock_.advance(30s);
  const Instant sent = now();
  clock_.advance_real(6s);
  EXPECT_TRUE(validity_.extend(sent, clock_));
  clock_.advance_real(4s);
  EXPECT_FALSE(validity_.in_force(clock_));
}

TEST_F(ValidityTest, EachHeartbeatTakesTheWallClockAsItFindsIt) {
  start();
  for (int i = 0; i < 5; ++i) {
    clock_.advance(30s);
    clock_.advance_real(5s);
    EXPECT_TRUE(validity_.extend(now(), clock_));
  }
}

}  // namespace
}  // namespace rwlease::test
