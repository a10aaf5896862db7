// Waiting for others without touching the lock.
#include "protocol/vigil.hpp"

#include "support/world.hpp"

#include <algorithm>

namespace rwlease::test {
namespace {

class VigilTest : public WorldTest {
 protected:
  VigilTest() : vigil_(waiter_.file_system, lock_path, waiter_.site()) { waiter_.take_calls(); }

  void TearDown() override {
    for (const std::string& call : waiter_.take_calls()) {
      const std::string verb = call.substr(0, call.find(' '));
      EXPECT_TRUE(verb == "open" || verb == "look" || verb == "list" || verb == "readlink" || verb == "read") << call;
    }
    WorldTest::TearDown();
  }

  // How long until it is free, looked at once a second.
  Nanoseconds wait_of(protocol::Vigil& vigil, Nanoseconds longest = 1h) {
    const Nanoseconds start = world_.server.boot();
    while (!vigil.is_free() && world_.server.boot() - start < longest) world_.advance(1s);
    return world_.server.boot() - start;
  }

  Actor& holder_ = world_.join();
  Actor& other_ = world_.join();
  Actor& waiter_ = world_.join();
  protocol::Vigil vigil_;
};

TEST_F(VigilTest, ALockWithoutHoldersIsFree) { EXPECT_TRUE(vigil_.is_free()); }

TEST_F(VigilTest, ALockThatWasRemovedIsFree) {
  const auto grant = holder_.write();
  EXPECT_FALSE(vigil_.is_free());
  world_.remove_lock_directory();
  EXPECT_TRUE(vigil_.is_free());
}

TEST_F(VigilTest, EveryHolderHasToLeave) {
  const auto one = holder_.read();
  const auto another = other_.read();
  EXPECT_FALSE(vigil_.is_free());
  EXPECT_TRUE(holder_.release(one));
  EXPECT_FALSE(vigil_.is_free());
  EXPECT_TRUE(other_.release(another));
  EXPECT_TRUE(vigil_.is_free());
}

TEST_F(VigilTest, AWriterThatDrainsIsInTheWay) {
  const auto reading = holder_.read();
  const auto writer = other_.writer();
  EXPECT_EQ(writer->step(), protocol::Progress::wait);
  EXPECT_FALSE(vigil_.is_free());
  EXPECT_TRUE(holder_.release(reading));
  EXPECT_FALSE(vigil_.is_free());
}

TEST_F(VigilTest, AForeignEntryIsInTheWayForALease) {
  world_.plant("readers/odd", fs::Type::file);
  EXPECT_FALSE(vigil_.is_free());
  const Nanoseconds waited = wait_of(vigil_);
  EXPECT_GE(waited, 90s);
  EXPECT_LE(waited, 95s);
  EXPECT_EQ(world_.names("readers"), std::vector<std::string>{"odd"});
}

TEST_F(VigilTest, APollIsOneQuestion) {
  const auto grant = holder_.read();
  EXPECT_FALSE(vigil_.is_free());
  EXPECT_FALSE(vigil_.is_free());
  waiter_.take_calls();
  world_.advance(1s);
  EXPECT_FALSE(vigil_.is_free());
  EXPECT_EQ(waiter_.take_calls().size(), 1U);
}

TEST_F(VigilTest, TheDeadAreWaitedOutTogetherAndLeftThere) {
  const auto one = holder_.read();
  const auto another = other_.read();
  const auto before = world_.leftovers();
  const Nanoseconds waited = wait_of(vigil_);
  EXPECT_GE(waited, 90s);
  EXPECT_LE(waited, 95s);
  EXPECT_EQ(world_.leftovers(), before);
}

TEST_F(VigilTest, ALivingHolderIsNeverTakenForDead) {
  auto grant = holder_.write();
  for (int i = 0; i < 20; ++i) {
    world_.advance(20s);
    EXPECT_EQ(grant.marker.beat(holder_.site()), protocol::Beat::counted);
    EXPECT_FALSE(vigil_.is_free());
  }
}

TEST_F(VigilTest, TheFenceIsSeenWhenItMoves) {
  EXPECT_EQ(vigil_.fence(), 0U);
  const auto first = holder_.write();
  EXPECT_EQ(vigil_.fence(), first.fence);
  EXPECT_TRUE(holder_.release(first));
  const auto second = other_.write();
  EXPECT_EQ(vigil_.fence(), second.fence);
}

TEST_F(VigilTest, TheFenceIsSeenWhenItMovesTwiceInOneTick) {
  world_.tree.set_granularity(1h);
  const auto first = holder_.write();
  EXPECT_TRUE(holder_.release(first));
  EXPECT_EQ(vigil_.fence(), first.fence);
  const auto second = other_.write();
  EXPECT_EQ(vigil_.fence(), second.fence);
}

TEST_F(VigilTest, APollForTheFenceIsOneQuestion) {
  const auto grant = holder_.write();
  // Until a tick of the server's clock has surely passed.
  for (int i = 0; i < 6; ++i, world_.advance(1s)) EXPECT_EQ(vigil_.fence(), grant.fence);
  waiter_.take_calls();
  EXPECT_EQ(vigil_.fence(), grant.fence);
  EXPECT_EQ(waiter_.take_calls(), std::vector<std::string>{"look readers"});
}

}  // namespace
}  // namespace rwlease::test
