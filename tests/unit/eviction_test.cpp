// Dead holders are removed, live ones never.
#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::Progress;
using Calls = std::vector<std::string>;

class EvictionTest : public WorldTest {
 protected:
  // How long until the attempt is granted, looked at once a second.
  Nanoseconds wait_of(protocol::Attempt& attempt, Nanoseconds longest = 1h) {
    const Nanoseconds start = world_.server.boot();
    EXPECT_TRUE(world_.wait_for(attempt, longest));
    return world_.server.boot() - start;
  }
  static bool soon_after(Nanoseconds waited, Nanoseconds window) { return waited >= window && waited <= window + 3s; }

  Actor& holder_ = world_.join();
  Actor& waiter_ = world_.join();
};

TEST_F(EvictionTest, ADeadWriterIsWaitedForALeaseByReaders) {
  const auto dead = holder_.write();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.reader()), 90s));
  EXPECT_FALSE(world_.log.empty()) << "it is said";
}

TEST_F(EvictionTest, ADeadWriterIsWaitedForALeaseByWriters) {
  const auto dead = holder_.write();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.writer()), 90s));
}

TEST_F(EvictionTest, DeadReadersAreWaitedForALeaseTogether) {
  const auto dead = holder_.read();
  const auto also = holder_.read();
  const auto third = holder_.read();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.writer()), 90s));
}

TEST_F(EvictionTest, TheHoldersLongerLeaseIsRespected) {
  holder_.terms = {100s, 300s, 30s};
  const auto dead = holder_.write();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.reader()), 300s));
}

TEST_F(EvictionTest, SoIsTheOneInTheNameWhenTheRecordCannotBeRead) {
  holder_.terms = {100s, 300s, 30s};
  const auto dead = holder_.write();
  world_.node(dead.marker.path())->content = "spoilt";
  EXPECT_TRUE(soon_after(wait_of(*waiter_.reader()), 300s));
}

TEST_F(EvictionTest, AnObserversOwnLongerLeaseIsItsWindow) {
  waiter_.terms = {100s, 300s, 30s};
  const auto dead = holder_.read();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.writer()), 300s));
}

class SkewTest : public EvictionTest, public ::testing::WithParamInterface<Nanoseconds> {};

TEST_P(SkewTest, NobodysClockMatters) {
  waiter_.clock.advance(std::max(GetParam(), Nanoseconds(0)));
  waiter_.clock.advance_real(GetParam());
  world_.server.advance_real(-GetParam() / 2);
  const auto dead = holder_.write();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.reader()), 90s));
}

TEST_P(SkewTest, AndALiveOneIsNeverEvicted) {
  waiter_.clock.advance_real(GetParam());
  auto live = holder_.write();
  auto attempt = waiter_.reader();
  for (int second = 0; second < 600; ++second) {
    world_.advance(1s);
    if (second % 30 == 0) live.marker.beat(holder_.site());
    if (second == 300) world_.server.advance_real(GetParam());
    EXPECT_EQ(attempt->step(), Progress::wait);
  }
  EXPECT_TRUE(live.marker.validity().in_force(holder_.clock));
}

INSTANTIATE_TEST_SUITE_P(Each, SkewTest,
                         ::testing::Values(Nanoseconds(95s), Nanoseconds(-95s), Nanoseconds(10h), Nanoseconds(-10h)));

TEST_F(EvictionTest, ItsHolderKnowsBeforeAnybodyEvicts) {
  const auto dead = holder_.write();
  auto attempt = waiter_.reader();
  while (attempt->step() == Progress::wait) {
    world_.advance(1s);
    ASSERT_LT(world_.server.boot(), Nanoseconds(1h));
  }
  EXPECT_FALSE(dead.marker.validity().in_force(holder_.clock));
}

TEST_F(EvictionTest, ShortAttemptsInARowAddUp) {
  const auto dead = holder_.write();
  const Nanoseconds start = world_.server.boot();
  for (;;) {
    auto attempt = waiter_.reader();
    if (attempt->step() == Progress::held) break;
    ASSERT_LT(world_.server.boot() - start, Nanoseconds(100s));
    world_.advance(10s);
  }
  EXPECT_TRUE(soon_after(world_.server.boot() - start, 90s));
}

TEST_F(EvictionTest, AfterAnOutageTheHolderSpeaksFirst) {
  const auto held = holder_.write();
  auto attempt = waiter_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  world_.advance(1h);
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_TRUE(soon_after(wait_of(*attempt), 90s));
}

TEST_F(EvictionTest, ALookThatFailsProvesNothing) {
  const auto held = holder_.write();
  auto attempt = waiter_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  waiter_.client.before = [](const Call& call) {
    return call.operation == "look" ? Verdict{Verdict::refused, EIO} : Verdict();
  };
  EXPECT_FALSE(world_.wait_for(*attempt, 300s));
}

struct Proof {
  const char* name;
  std::function<void(Actor&)> before;  // the lease is taken
  std::function<void(Actor&)> after;
  bool proven;
};

class ProofTest : public WorldTest, public ::testing::WithParamInterface<Proof> {};

TEST_P(ProofTest, OfDeathOnTheSameHost) {
  Actor& holder = world_.join();
  Actor& waiter = world_.join_beside(holder);
  if (GetParam().before) GetParam().before(holder);
  const auto writing = holder.write();
  GetParam().after(holder);
  EXPECT_EQ(waiter.reader()->step(), GetParam().proven ? Progress::held : Progress::wait);
}

void dies(Actor& actor) { actor.host.die(); }

void set_identity(Actor& actor, const std::function<void(fs::ProcessIdentity&)>& change) {
  fs::ProcessIdentity self = actor.host.self();
  change(self);
  actor.host.set_self(self);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ProofTest,
    ::testing::Values(
        Proof{"Dead", nullptr, dies, true}, Proof{"Alive", nullptr, [](Actor&) {}, false},
        Proof{"NotSole", [](Actor& a) { a.sole = false; }, dies, false},
        Proof{"ItsNumberWasUsedAgain", nullptr, [](Actor& a) { a.host.machine().processes[a.host.self().pid] += 1; },
              true},
        Proof{"AnotherBoot", [](Actor& a) { set_identity(a, [](auto& self) { self.boot_id = "other"; }); }, dies,
              false},
        Proof{"NoBootId", [](Actor& a) { set_identity(a, [](auto& self) { self.boot_id = ""; }); }, dies, false},
        Proof{"AnotherNamespace", [](Actor& a) { set_identity(a, [](auto& self) { self.pidns += 1; }); }, dies, false},
        Proof{"NoStartTime", [](Actor& a) { set_identity(a, [](auto& self) { self.start = 0; }); }, dies, false},
        Proof{"ItsGroupLives",
              [](Actor& a) {
                a.process_group = 77;
                a.host.machine().groups.insert(77);
              },
              dies, false},
        Proof{"ItsGroupIsGoneToo", [](Actor& a) { a.process_group = 77; }, dies, true},
        Proof{"TheGroupAloneIsGone", [](Actor& a) { a.process_group = 77; }, [](Actor&) {}, false}),
    NameOfParameter());

TEST_F(EvictionTest, ProofIsNotTakenWhereItIsNotTrusted) {
  Actor& neighbour = world_.join_beside(holder_);
  neighbour.trust_proof_of_death = false;
  const auto dead = holder_.write();
  holder_.host.die();
  EXPECT_TRUE(soon_after(wait_of(*neighbour.reader()), 90s));
}

TEST_F(EvictionTest, ADeadReaderBesideALiveOneIsProvenDeadToo) {
  Actor& neighbour = world_.join_beside(holder_);
  auto live = waiter_.read();
  const auto dead = holder_.read();
  holder_.host.die();
  auto attempt = neighbour.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(attempt->in_the_way().size(), 1U);
  waiter_.release(live);
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(EvictionTest, TwoEvictorsAtOnce) {
  Actor& rival = world_.join();
  const auto dead = holder_.write();
  auto one = waiter_.writer();
  auto two = rival.writer();
  bool one_in = false;
  bool two_in = false;
  waiter_.client.before = [&](const Call& call) {
    if (call.text() == "remove writer/#1") two_in = two->step() == Progress::held;
    return Verdict();
  };
  while (!one_in && !two_in) {
    one_in = one->step() == Progress::held;
    if (!two_in) two_in = two->step() == Progress::held;
    world_.advance(1s);
    ASSERT_LT(world_.server.boot(), Nanoseconds(1h));
  }
  EXPECT_NE(one_in, two_in);
}

TEST_F(EvictionTest, ALateRemovalOfAnOldMarkerNeverTouchesANewOne) {
  const auto dead = holder_.write();
  auto attempt = waiter_.reader();
  Actor& successor = world_.join();
  std::optional<protocol::Grant> next;
  waiter_.client.before = [&](const Call& call) {
    if (call.text() == "remove writer/#1") {
      holder_.release(dead);
      next.emplace(successor.write());
    }
    return Verdict();
  };
  EXPECT_FALSE(world_.wait_for(*attempt, 100s));
  ASSERT_TRUE(next);
  EXPECT_EQ(world_.names("writer").size(), 1U);
  EXPECT_TRUE(successor.release(*next));
}

struct Foreign {
  const char* name;
  const char* entry;
  fs::Type type;
};

class ForeignTest : public EvictionTest {};
class ForeignEntryTest : public ForeignTest, public ::testing::WithParamInterface<Foreign> {};

TEST_P(ForeignEntryTest, CountsUntilItWasUnchangedForALease) {
  auto attempt = waiter_.writer();
  world_.plant(GetParam().entry, GetParam().type, "readers");
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_TRUE(soon_after(wait_of(*attempt), 90s));
}

INSTANTIATE_TEST_SUITE_P(Each, ForeignEntryTest,
                         ::testing::Values(Foreign{"FileAmongReaders", "readers/x", fs::Type::file},
                                           Foreign{"SymlinkAmongReaders", "readers/x y", fs::Type::symlink},
                                           Foreign{"FifoAmongReaders", "readers/\n", fs::Type::other},
                                           Foreign{"DirectoryAmongReaders", "readers/d", fs::Type::directory},
                                           Foreign{"NfsLeftover", "readers/.nfs000001", fs::Type::symlink},
                                           Foreign{"HiddenThatIsNoPreparation", "readers/.x", fs::Type::file},
                                           Foreign{"WriterIsAFile", "writer", fs::Type::file},
                                           Foreign{"WriterIsASymlink", "writer", fs::Type::symlink},
                                           Foreign{"WriterIsAFifo", "writer", fs::Type::other}),
                         NameOfParameter());

TEST_F(ForeignTest, AReaderStandsBackToo) {
  for (const fs::Type type : {fs::Type::file, fs::Type::symlink, fs::Type::other}) {
    auto attempt = waiter_.reader();
    world_.plant("writer", type);
    EXPECT_EQ(attempt->step(), Progress::wait);
    EXPECT_TRUE(soon_after(wait_of(*attempt), 90s));
  }
}

TEST_F(ForeignTest, InWriterAnythingCounts) {
  for (const char* name : {"x", ".x", ".nfs01", ".w.x"}) {
    auto attempt = waiter_.reader();
    world_.plant("writer", fs::Type::directory);
    world_.plant(std::string("writer/") + name, fs::Type::symlink, "x");
    EXPECT_EQ(attempt->step(), Progress::wait) << name;
    EXPECT_TRUE(soon_after(wait_of(*attempt), 90s)) << name;
  }
}

TEST_F(ForeignTest, WhatCannotBeRemovedIsSaidWithItsOwner) {
  auto attempt = waiter_.writer();
  world_.plant("readers/d", fs::Type::directory);
  world_.plant("readers/d/full", fs::Type::file);
  world_.node("readers/d")->uid = 4242;
  EXPECT_FALSE(world_.wait_for(*attempt, 100s));
  ASSERT_FALSE(world_.log.empty());
  EXPECT_NE(world_.log.back().find("user 4242"), std::string::npos) << world_.log.back();
}

TEST_F(ForeignTest, OneThatKeepsChangingStays) {
  auto attempt = waiter_.writer();
  world_.plant("readers/x", fs::Type::file);
  for (int i = 0; i < 40; ++i) {
    EXPECT_FALSE(world_.wait_for(*attempt, 20s));
    world_.touch("readers/x");
  }
}

class JobEvictionTest : public EvictionTest {
 protected:
  JobEvictionTest() {
    holder_.batch = {"cluster", "4711", "0", "n7", 2};
    holder_.sole = false;
    waiter_.job_oracle = [this](const BatchJob& job) {
      asked_.push_back(job);
      return answer_;
    };
  }

  std::vector<BatchJob> asked_;
  JobState answer_ = JobState::over;
};

TEST_F(JobEvictionTest, AHolderWhoseJobIsOverIsNotWaitedOut) {
  const auto held = holder_.write();
  EXPECT_LE(wait_of(*waiter_.writer()), 3s);
  ASSERT_FALSE(asked_.empty());
  EXPECT_EQ(asked_[0].cluster, "cluster");
  EXPECT_EQ(asked_[0].id, "4711");
  EXPECT_EQ(asked_[0].step, "0");
  EXPECT_EQ(asked_[0].node, "n7");
  EXPECT_EQ(asked_[0].restarts, 2);
}

TEST_F(JobEvictionTest, AHolderWhoseJobRunsIsWaitedOut) {
  answer_ = JobState::running;
  const auto held = holder_.read();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.writer()), 90s));
}

TEST_F(JobEvictionTest, AHolderOfWhoseJobNothingIsKnownIsWaitedOut) {
  answer_ = JobState::unknown;
  const auto held = holder_.read();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.writer()), 90s));
}

TEST_F(JobEvictionTest, NobodyIsAskedAboutAHolderWithoutAJob) {
  holder_.batch = {};
  const auto held = holder_.write();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.reader()), 90s));
  EXPECT_TRUE(asked_.empty());
}

TEST_F(JobEvictionTest, NobodyIsAskedWhoWouldNotBeTrusted) {
  waiter_.trust_proof_of_death = false;
  const auto held = holder_.write();
  EXPECT_TRUE(soon_after(wait_of(*waiter_.reader()), 90s));
  EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace rwlease::test
