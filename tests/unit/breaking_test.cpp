// Leases taken away by hand: nobody else holds while the one who had it could still take it for valid.
#include "protocol/breaking.hpp"

#include "protocol/survey.hpp"
#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::Beat;
using protocol::Breaker;
using protocol::Progress;

class BreakingTest : public WorldTest {
 protected:
  static bool in_force(Actor& actor, const protocol::Grant& grant) {
    return grant.marker.validity().in_force(actor.clock);
  }

  // How long until the attempt is granted, looked at once a second; never while the victim's lease is in force.
  Nanoseconds wait_of(protocol::Attempt& attempt, const protocol::Grant& victims) {
    const Nanoseconds start = world_.server.boot();
    while (attempt.step() != Progress::held) {
      world_.advance(1s);
      if (world_.server.boot() - start > 1h) throw std::logic_error("it is never granted");
    }
    EXPECT_FALSE(in_force(victim_, victims)) << "two hold";
    return world_.server.boot() - start;
  }

  Breaker break_lease(const protocol::Grant& grant) {
    Breaker breaker(admin_.site());
    EXPECT_TRUE(breaker.block(grant.marker.path()));
    EXPECT_TRUE(breaker.remove(grant.marker.path()));
    return breaker;
  }

  Actor& victim_ = world_.join();
  Actor& admin_ = world_.join();
  Actor& waiter_ = world_.join();
};

TEST_F(BreakingTest, AWriterFindsOutAtItsNextHeartbeat) {
  auto grant = victim_.write();
  const auto breaker = break_lease(grant);
  EXPECT_EQ(grant.marker.beat(victim_.site()), Beat::gone);
}

TEST_F(BreakingTest, AReaderFindsOutAtItsNextHeartbeat) {
  auto grant = victim_.read();
  const auto breaker = break_lease(grant);
  EXPECT_EQ(grant.marker.beat(victim_.site()), Beat::gone);
}

TEST_F(BreakingTest, NobodyElseHoldsWhileAWriterCouldStillGoOn) {
  const auto grant = victim_.write();
  world_.advance(20s);
  const auto breaker = break_lease(grant);
  const Nanoseconds waited = wait_of(*waiter_.reader(), grant);
  EXPECT_GE(waited, 90s);
  EXPECT_LE(waited, 105s) << "what the breaker left is waited out";
}

TEST_F(BreakingTest, NoWriterHoldsWhileAReaderCouldStillGoOn) {
  const auto grant = victim_.read();
  const auto writer = waiter_.writer();
  EXPECT_EQ(writer->step(), Progress::wait);
  const auto breaker = break_lease(grant);
  EXPECT_GE(wait_of(*writer, grant), 90s);
}

TEST_F(BreakingTest, OtherReadersComeInBesideABrokenReader) {
  const auto grant = victim_.read();
  const auto breaker = break_lease(grant);
  EXPECT_EQ(waiter_.reader()->step(), Progress::held);
}

TEST_F(BreakingTest, AfterTheLeaseTheBreakerLetsTheOthersIn) {
  const auto grant = victim_.write();
  auto breaker = break_lease(grant);
  EXPECT_TRUE(breaker.may_be_in_force());
  EXPECT_EQ(breaker.left(), 90s);
  world_.advance(89s);
  EXPECT_TRUE(breaker.may_be_in_force());
  world_.advance(1s);
  EXPECT_FALSE(breaker.may_be_in_force());
  EXPECT_FALSE(in_force(victim_, grant));
  breaker.unblock();
  EXPECT_TRUE(world_.leftovers().empty());
  EXPECT_EQ(waiter_.writer()->step(), Progress::held);
}

TEST_F(BreakingTest, TheVictimsOwnLongerLeaseCounts) {
  victim_.terms = {100s, 300s, 30s};
  const auto grant = victim_.write();
  const auto breaker = break_lease(grant);
  EXPECT_EQ(breaker.left(), 300s);
  EXPECT_GE(wait_of(*waiter_.writer(), grant), 300s);
}

TEST_F(BreakingTest, TheBreakersDeathProvesNothing) {
  Actor& beside = world_.join_beside(admin_);
  const auto grant = victim_.write();
  { const auto breaker = break_lease(grant); }
  admin_.host.die();
  EXPECT_GE(wait_of(*beside.writer(), grant), 90s);
}

TEST_F(BreakingTest, TheProofOfTheVictimsDeathEndsTheWait) {
  Actor& beside = world_.join_beside(admin_);
  const auto grant = beside.write();
  auto breaker = break_lease(grant);
  EXPECT_TRUE(breaker.may_be_in_force());
  beside.host.die();
  EXPECT_FALSE(breaker.may_be_in_force());
}

TEST_F(BreakingTest, AVictimThatReleasesLeavesTheLockClosed) {
  const auto grant = victim_.write();
  const auto breaker = break_lease(grant);
  EXPECT_FALSE(victim_.release(grant)) << "it learns it here";
  EXPECT_EQ(waiter_.reader()->step(), Progress::wait);
}

TEST_F(BreakingTest, OneThatLeavesMeanwhileIsNotBrokenAndNothingIsLeft) {
  for (const Mode mode : {Mode::read, Mode::write}) {
    const auto grant = mode == Mode::read ? victim_.read() : victim_.write();
    Breaker breaker(admin_.site());
    EXPECT_TRUE(breaker.block(grant.marker.path()));
    EXPECT_TRUE(victim_.release(grant));
    EXPECT_FALSE(breaker.remove(grant.marker.path()));
    EXPECT_FALSE(breaker.may_be_in_force());
    EXPECT_TRUE(world_.leftovers().empty());
  }
}

TEST_F(BreakingTest, WhatIsWithdrawnLeavesTheHolderAndNothingElse) {
  for (const Mode mode : {Mode::read, Mode::write}) {
    auto grant = mode == Mode::read ? victim_.read() : victim_.write();
    const auto before = world_.leftovers();
    Breaker breaker(admin_.site());
    EXPECT_TRUE(breaker.block(grant.marker.path()));
    breaker.withdraw();
    EXPECT_FALSE(breaker.may_be_in_force());
    EXPECT_EQ(world_.leftovers(), before);
    EXPECT_TRUE(victim_.release(grant)) << "it still was its own";
    EXPECT_TRUE(world_.leftovers().empty());
  }
}

TEST_F(BreakingTest, WithdrawingKeepsWhatStandsForTheRemoved) {
  const auto grant = victim_.write();
  auto breaker = break_lease(grant);
  breaker.withdraw();
  EXPECT_TRUE(breaker.may_be_in_force());
  EXPECT_GE(wait_of(*waiter_.reader(), grant), 90s);
}

TEST_F(BreakingTest, OneThatHasLeftBeforeIsNotBlocked) {
  const auto grant = victim_.write();
  EXPECT_TRUE(victim_.release(grant));
  Breaker breaker(admin_.site());
  EXPECT_FALSE(breaker.block(grant.marker.path()));
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(BreakingTest, WithoutABlockTheNextOneIsLetInAtOnce) {
  for (const Mode mode : {Mode::read, Mode::write}) {
    const auto grant = mode == Mode::read ? victim_.read() : victim_.write();
    Breaker breaker(admin_.site());
    EXPECT_TRUE(breaker.remove(grant.marker.path()));
    EXPECT_TRUE(world_.leftovers().empty());
  }
}

TEST_F(BreakingTest, AnErrorLeavesTheVictimAlone) {
  const auto grant = victim_.write();
  Breaker breaker(admin_.site());
  admin_.client.before = [](const Call& call) {
    return call.operation == "symlink" ? Verdict{Verdict::refused, EDQUOT} : Verdict{};
  };
  EXPECT_THROW(breaker.block(grant.marker.path()), Error);
  admin_.client.before = {};
  EXPECT_EQ(world_.names("writer").size(), 1U);
}

TEST_F(BreakingTest, AnIdIsOnesOwnAndNoSecret) {
  EXPECT_EQ(protocol::participant_id("readers/node07.4711.90000.0123456789abcdef0123456789abcdef"),
            "node07.4711.01234567");
  EXPECT_EQ(protocol::participant_id("readers/.w.node07.4711.90000.0123456789abcdef0123456789abcdef"),
            "node07.4711.01234567");
  EXPECT_EQ(protocol::participant_id("readers/odd"), "readers/odd");
  EXPECT_EQ(protocol::participant_id("writer/odd.0123456789abcdef0123456789abcdef"), "writer/odd");
}

}  // namespace
}  // namespace rwlease::test
