// A marker's heartbeat: what counts as proof of life.
#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::Beat;

class BeatTest : public WorldTest {
 protected:
  Beat beat() { return grant_.marker.beat(actor_.site()); }
  Nanoseconds remaining() { return grant_.marker.validity().remaining(actor_.clock); }
  void fail_call(int n, Verdict verdict) { actor_.client.nth_call(n, verdict); }

  Actor& actor_ = world_.join();
  protocol::Grant grant_ = actor_.read();
};

TEST_F(BeatTest, TheLeaseGoesOn) {
  world_.advance(30s);
  EXPECT_EQ(beat(), Beat::counted);
  EXPECT_EQ(remaining(), 81s);
}

TEST_F(BeatTest, IsATouchAndALookAfterTheFirst) {
  world_.advance(30s);
  beat();
  actor_.take_calls();
  world_.advance(30s);
  beat();
  EXPECT_EQ(actor_.take_calls(), (std::vector<std::string>{"touch readers/#1", "glance readers/#1"}));
}

TEST_F(BeatTest, CountsFromBeforeTheTouchWasSent) {
  world_.advance(30s);
  actor_.client.after = [&](const Call& call) {
    if (call.operation == "touch") world_.advance(5s);
  };
  EXPECT_EQ(beat(), Beat::counted);
  EXPECT_EQ(remaining(), 76s);
}

TEST_F(BeatTest, ATimeThatDidNotMoveProvesNothing) {
  world_.tree.set_granularity(1min);
  world_.advance(1min);
  beat();
  const Nanoseconds before = remaining();
  actor_.clock.advance(1s);
  EXPECT_EQ(beat(), Beat::uncounted) << "the same minute by the server's clock";
  EXPECT_EQ(remaining(), before - 1s);
  world_.advance(1min);
  EXPECT_EQ(beat(), Beat::counted);
}

TEST_F(BeatTest, ATouchThatIsNotCarriedOutProvesNothing) {
  world_.advance(30s);
  actor_.client.before = [](const Call& call) {
    return call.operation == "touch" ? Verdict{Verdict::ignored, 0} : Verdict();
  };
  EXPECT_EQ(beat(), Beat::uncounted);
  EXPECT_EQ(remaining(), 51s);
}

TEST_F(BeatTest, OneThatComesBackTooLateProvesNothing) {
  world_.advance(30s);
  actor_.client.after = [&](const Call& call) {
    if (call.operation == "touch") world_.advance(51s);
  };
  EXPECT_EQ(beat(), Beat::uncounted);
  EXPECT_EQ(remaining(), 0s);
}

TEST_F(BeatTest, AMarkerThatWasRemovedIsGone) {
  world_.unplant("readers/" + grant_.marker.name());
  EXPECT_EQ(beat(), Beat::gone);
}

TEST_F(BeatTest, AMarkerThatWasRemovedBetweenTwoBeatsIsGone) {
  world_.advance(30s);
  EXPECT_EQ(beat(), Beat::counted);
  world_.unplant("readers/" + grant_.marker.name());
  EXPECT_EQ(beat(), Beat::gone);
}

TEST_F(BeatTest, AHandleGoneStaleForOnceIsNoLoss) {
  for (int n = 1; n <= 3; ++n) {
    grant_ = actor_.read();
    world_.advance(10s);
    fail_call(n, {Verdict::refused, ESTALE});
    EXPECT_EQ(beat(), Beat::failed) << n;
    actor_.client.before = nullptr;
    world_.advance(1s);
    EXPECT_EQ(beat(), Beat::counted) << n;
  }
}

TEST_F(BeatTest, AnythingElseThatFailsIsTriedAgain) {
  for (const int error : {EIO, ETIMEDOUT, EACCES, EINTR, EROFS, EPERM}) {
    for (int n = 1; n <= 2; ++n) {
      world_.advance(1s);
      fail_call(n, {Verdict::refused, error});
      EXPECT_EQ(beat(), Beat::failed) << error;
      actor_.client.before = nullptr;
      world_.advance(1s);
      EXPECT_EQ(beat(), Beat::counted) << error;
    }
  }
}

// With coarse times the next touch may leave the very time that the lost one set, and others count from that one on.
TEST_F(BeatTest, ATouchWhoseReplyWasLostIsNotTheNextOnesProof) {
  world_.tree.set_granularity(20s);
  world_.advance(30s);
  ASSERT_EQ(beat(), Beat::counted);
  world_.advance(20s);
  actor_.client.before = [](const Call& call) {
    return call.operation == "touch" ? Verdict{Verdict::reply_lost, EIO} : Verdict();
  };
  EXPECT_EQ(beat(), Beat::failed);
  actor_.client.before = nullptr;
  world_.advance(1s);
  EXPECT_EQ(beat(), Beat::uncounted) << "the time is the lost touch's";
  world_.advance(20s);
  EXPECT_EQ(beat(), Beat::counted);
}

TEST_F(BeatTest, TheNextIsDueAfterAnIntervalAndSoonerWhereOneDidNotCount) {
  const protocol::Terms terms{32s, 90s, 9s};
  EXPECT_EQ(protocol::pause_after(Beat::counted, terms), 32s);
  EXPECT_EQ(protocol::pause_after(Beat::failed, terms), 4s);
  EXPECT_EQ(protocol::pause_after(Beat::uncounted, terms), 4s);
}

}  // namespace
}  // namespace rwlease::test
