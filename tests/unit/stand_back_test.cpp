// After an own write lease others get their turn first.
#include "support/fake_acquisition.hpp"

namespace rwlease::test {
namespace {

class StandBackTest : public WorldTest {
 protected:
  StandBackTest() {
    until_ = actor_.clock.boot() + 100ms;
    acquisition_.instance().stand_back_until(until_);
    actor_.client.before = [this](const Call&) {
      if (!first_call_) first_call_ = actor_.clock.boot();
      return Verdict();
    };
  }

  Actor& actor_ = world_.join();
  FakeAcquisition acquisition_{actor_};
  Nanoseconds until_;
  std::optional<Nanoseconds> first_call_;  // when
};

TEST_F(StandBackTest, AWriterDoesNothingUntilThen) {
  EXPECT_TRUE(acquisition_.run(Mode::write, Deadline::forever()));
  ASSERT_TRUE(first_call_);
  EXPECT_GE(*first_call_, until_);
}

TEST_F(StandBackTest, AReaderNeedNot) {
  EXPECT_TRUE(acquisition_.run(Mode::read, Deadline::forever()));
  EXPECT_LT(*first_call_, until_);
}

TEST_F(StandBackTest, ASingleTryDoesNot) {
  EXPECT_TRUE(acquisition_.run(Mode::write, Deadline::now()));
  EXPECT_LT(*first_call_, until_);
}

TEST_F(StandBackTest, TheDeadlineEndsItAndOneTryIsLeft) {
  acquisition_.instance().stand_back_until(actor_.clock.boot() + 24h);
  EXPECT_TRUE(acquisition_.run(Mode::write, Deadline::after(3ms)));
}

TEST_F(StandBackTest, ItCanBeCancelled) {
  Cancel cancel;
  cancel.cancel();
  EXPECT_THROW(acquisition_.run(Mode::write, Deadline::forever(), &cancel), Cancelled);
  EXPECT_FALSE(first_call_);
}

}  // namespace
}  // namespace rwlease::test
