// What crashes left behind is cleared away; what somebody is busy with is not.
#include "protocol/sweep.hpp"

#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::Progress;

class SweepTest : public WorldTest {
 protected:
  // Sweeps at its own pace; the names that are left.
  std::vector<std::string> sweep(Nanoseconds longest) {
    for (Nanoseconds passed{0}; passed < longest; passed += sweep_.pace()) {
      if (!sweep_.look()) break;
      world_.advance(sweep_.pace());
    }
    return world_.leftovers();
  }
  // A writer's first step up to its n-th call, then nothing more.
  void crash_at(int nth) {
    Actor& crashed = world_.join();
    const auto site = crashed.site();
    crashed.client.before = [calls = 0, nth](const Call&) mutable {
      return ++calls > nth ? Verdict{Verdict::refused, EIO} : Verdict();
    };
    EXPECT_THROW(protocol::make_write_attempt(site)->step(), Error);
  }
  void find() {
    auto grant = sweeper_.write();
    sweep_.add(grant.leftovers);
    sweep_.add_from_lock_directory();
    sweeper_.release(grant);
  }

  Actor& sweeper_ = world_.join();
  protocol::Sweep sweep_{sweeper_.site()};
};

TEST_F(SweepTest, NothingToDo) {
  find();
  EXPECT_FALSE(sweep_.look());
}

TEST_F(SweepTest, APreparedClaimOfACrashGoesMarkerFirst) {
  crash_at(2);
  EXPECT_EQ(world_.leftovers(), (std::vector<std::string>{"readers/.w.#1", "readers/.w.#1/#1"}));
  find();
  sweeper_.take_calls();
  EXPECT_TRUE(sweep(600s).empty());
  std::vector<std::string> removals;
  for (const auto& call : sweeper_.take_calls()) {
    if (call.compare(0, 4, "look") != 0 && call.compare(0, 4, "read") != 0) removals.push_back(call);
  }
  EXPECT_EQ(removals, (std::vector<std::string>{"remove readers/.w.#1/#1", "rmdir readers/.w.#1"}));
}

TEST_F(SweepTest, NotBeforeALeaseHasPassed) {
  crash_at(2);
  find();
  EXPECT_EQ(sweep(85s).size(), 2U);
}

TEST_F(SweepTest, AClaimThatCrashedBeforeItsMarkerGoesToo) {
  crash_at(1);
  find();
  EXPECT_TRUE(sweep(600s).empty());
}

TEST_F(SweepTest, HiddenEntriesEverywhereGo) {
  const protocol::MarkerId id{"node9", 7, 90'000ms, "0123456789abcdef0123456789abcdef"};
  for (const std::string& name : {"." + id.text(), ".p." + id.text(), "readers/.o." + id.text()}) {
    world_.plant(name, fs::Type::symlink, "x");
  }
  find();
  EXPECT_TRUE(sweep(600s).empty());
}

TEST_F(SweepTest, AnEntryWithALongerLeaseIsWaitedFor) {
  const protocol::MarkerId id{"node9", 7, 300'000ms, "0123456789abcdef0123456789abcdef"};
  world_.plant("." + id.text(), fs::Type::symlink, "x");
  find();
  EXPECT_EQ(sweep(290s).size(), 1U);
  EXPECT_TRUE(sweep(400s).empty());
}

TEST_F(SweepTest, ALiveWriterThatPreparesIsLeftAlone) {
  Actor& holder = world_.join();
  Actor& live = world_.join();
  auto grant = holder.write();
  auto attempt = live.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  std::vector<std::string> seen;
  for (const auto& [name, node] : world_.node("readers")->entries) {
    if (name.compare(0, 3, ".w.") == 0) seen.push_back("readers/" + name);
  }
  ASSERT_EQ(seen.size(), 1U);
  sweep_.add(seen);
  for (int i = 0; i < 60; ++i) {
    world_.advance(10s);
    grant.marker.beat(holder.site());
    EXPECT_EQ(attempt->step(), Progress::wait);
    EXPECT_TRUE(sweep_.look());
  }
  EXPECT_TRUE(world_.log.empty()) << "not even tried: " << world_.log.front();
  holder.release(grant);
  EXPECT_EQ(attempt->step(), Progress::held);
  EXPECT_FALSE(sweep_.look()) << "what became a claim is no leftover";
}

TEST_F(SweepTest, AFenceIsNoLeftover) {
  auto grant = sweeper_.write();
  sweeper_.release(grant);
  grant = sweeper_.write();
  EXPECT_TRUE(grant.leftovers.empty());
}

}  // namespace
}  // namespace rwlease::test
