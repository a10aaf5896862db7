// Suspended leases come back by a swap of names or not at all; and the step from write to read.
#include "protocol/renewal.hpp"

#include "support/world.hpp"

#include "protocol/failure.hpp"

#include <rwlease/lease.hpp>

#include <algorithm>

namespace rwlease::test {
namespace {

using protocol::Progress;
using protocol::Renewal;
using Calls = std::vector<std::string>;

class RenewalTest : public WorldTest {
 protected:
  void suspend() {
    world_.advance(81s);
    ASSERT_FALSE(grant_->marker.validity().in_force(holder_.clock));
    holder_.take_calls();
  }
  void hold(Mode mode) {
    grant_.emplace(mode == Mode::write ? holder_.write() : holder_.read());
    renewer_.emplace(holder_.site());
    suspend();
  }
  Renewal renew() { return renewer_->renew(grant_->marker); }
  bool in_force() { return grant_->marker.validity().in_force(holder_.clock); }
  void fail_call(int n, Verdict verdict) { holder_.client.nth_call(n, verdict); }

  Actor& holder_ = world_.join();
  Actor& other_ = world_.join();
  std::optional<protocol::Grant> grant_;
  std::optional<protocol::Renewer> renewer_;
};

TEST_F(RenewalTest, AWritersIsOneRename) {
  hold(Mode::write);
  EXPECT_EQ(renew(), Renewal::renewed);
  EXPECT_EQ(holder_.take_calls(), (Calls{"rename writer/#1 writer/#2"}));
  EXPECT_TRUE(in_force());
  EXPECT_EQ(grant_->marker.validity().remaining(holder_.clock), 81s);
  EXPECT_TRUE(holder_.release(*grant_));
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(RenewalTest, AReadersIsAPublishAndALookForAWriterBeforeARemoval) {
  hold(Mode::read);
  EXPECT_EQ(renew(), Renewal::renewed);
  EXPECT_EQ(holder_.take_calls(), (Calls{"symlink .#2", "rename .#2 readers/#2", "list", "remove readers/#1"}));
  EXPECT_TRUE(in_force());
  EXPECT_TRUE(holder_.release(*grant_));
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(RenewalTest, TheNextHeartbeatGoesToTheNewName) {
  hold(Mode::write);
  EXPECT_EQ(renew(), Renewal::renewed);
  world_.advance(30s);
  EXPECT_EQ(grant_->marker.beat(holder_.site()), protocol::Beat::counted);
}

TEST_F(RenewalTest, AnEvictedWriterIsLost) {
  hold(Mode::write);
  world_.unplant(grant_->marker.path());
  EXPECT_EQ(renew(), Renewal::lost);
  EXPECT_FALSE(in_force());
}

TEST_F(RenewalTest, AnEvictedReaderIsLostAndLeavesNothing) {
  hold(Mode::read);
  world_.unplant(grant_->marker.path());
  EXPECT_EQ(renew(), Renewal::lost);
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(RenewalTest, AWriterWhoseSuccessorStandsIsLostAndDoesNotTouchIt) {
  hold(Mode::write);
  world_.unplant(grant_->marker.path());
  const auto next = other_.write();
  EXPECT_EQ(renew(), Renewal::lost);
  EXPECT_EQ(world_.names("writer").size(), 1U);
  EXPECT_TRUE(other_.release(next));
}

TEST_F(RenewalTest, AnEvictionDecidedOnTheOldNameMissesTheNew) {
  hold(Mode::write);
  auto attempt = other_.reader();
  bool renewed = false;
  other_.client.before = [&](const Call& call) {
    if (call.text() == "remove writer/#1") renewed = renew() == Renewal::renewed;
    return Verdict();
  };
  EXPECT_FALSE(world_.wait_for(*attempt, 95s));
  EXPECT_TRUE(renewed);
  EXPECT_TRUE(holder_.release(*grant_)) << "it still stands";
  // What is in writer/ was listed before, so it is only listed again after an own change there.
  Calls calls = other_.take_calls();
  const auto removed = std::find(calls.begin(), calls.end(), "remove writer/#1");
  const auto listed = std::find(removed, calls.end(), "list writer");
  ASSERT_NE(listed, calls.end());
  EXPECT_EQ((listed - 1)->compare(0, 18, "remove writer/.o.#"), 0) << *(listed - 1);
}

// Its listing could miss the old name and the new one.
TEST_F(RenewalTest, AReaderIsNotRenewedWhileAWriterDrains) {
  hold(Mode::read);
  auto attempt = other_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(renew(), Renewal::failed);
  EXPECT_EQ(world_.names("readers"), Calls{"#1"});
  attempt.reset();
  EXPECT_EQ(renew(), Renewal::renewed) << "it gave up";
}

TEST_F(RenewalTest, AWriterThatClaimsAtAnyMomentOfAReadersRenewalSeesIt) {
  for (int nth = 1; nth <= 4; ++nth) {
    hold(Mode::read);
    auto attempt = other_.writer();
    holder_.client.before = [&, n = nth](const Call&) mutable {
      if (--n == 0) {
        EXPECT_EQ(attempt->step(), Progress::wait) << nth;
      }
      return Verdict();
    };
    const bool renewed = renew() == Renewal::renewed;
    EXPECT_EQ(attempt->step(), Progress::wait) << nth;
    EXPECT_EQ(renewed, in_force());
    holder_.client.before = nullptr;
    holder_.release(*grant_);
    EXPECT_EQ(attempt->step(), Progress::held) << nth;
  }
}

TEST_F(RenewalTest, AWritersSwapWhoseReplyWasLostIsFoundDone) {
  for (const int error : {EIO, ENOENT, ETIMEDOUT, ESTALE}) {
    hold(Mode::write);
    fail_call(1, {Verdict::reply_lost, error});
    EXPECT_EQ(renew(), Renewal::renewed) << error;
    EXPECT_TRUE(in_force());
    holder_.client.before = nullptr;
    EXPECT_TRUE(holder_.release(*grant_));
  }
}

TEST_F(RenewalTest, AWritersSwapCarriedOutLateIsTheNextTrysSuccess) {
  hold(Mode::write);
  const Nanoseconds sent = holder_.clock.boot();
  fail_call(1, {Verdict::late, ETIMEDOUT});
  EXPECT_EQ(renew(), Renewal::failed);
  world_.advance(20s);
  holder_.client.carry_out_late();
  EXPECT_EQ(renew(), Renewal::renewed);
  EXPECT_EQ(grant_->marker.validity().until(), sent + 81s) << "it counts from when the first was sent";
  EXPECT_EQ(world_.names("writer").size(), 1U);
  EXPECT_TRUE(holder_.release(*grant_));
}

TEST_F(RenewalTest, AWritersSwapCarriedOutTooLateIsDoneOnceMore) {
  hold(Mode::write);
  fail_call(1, {Verdict::late, ETIMEDOUT});
  EXPECT_EQ(renew(), Renewal::failed);
  world_.advance(100s);
  holder_.client.carry_out_late();
  EXPECT_EQ(renew(), Renewal::failed) << "the lease of that swap is over as well";
  EXPECT_EQ(renew(), Renewal::renewed);
  EXPECT_TRUE(in_force());
  EXPECT_TRUE(holder_.release(*grant_));
}

TEST_F(RenewalTest, AReadersRemovalWhoseReplyWasLostIsNotHavingIt) {
  hold(Mode::read);
  fail_call(4, {Verdict::reply_lost, EIO});
  EXPECT_EQ(renew(), Renewal::lost) << "the old one is gone, and nobody can say who removed it";
  EXPECT_FALSE(in_force());
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(RenewalTest, GivenBackWhileASwapIsUnknownNeitherNameIsLeft) {
  for (const auto fate : {Verdict::reply_lost, Verdict::refused, Verdict::late}) {
    hold(Mode::write);
    holder_.client.before = [fate](const Call& call) {
      if (call.operation == "rename") return Verdict{fate, ETIMEDOUT};
      return call.operation == "look" ? Verdict{Verdict::refused, ETIMEDOUT} : Verdict();
    };
    EXPECT_EQ(renew(), Renewal::failed);
    holder_.client.before = nullptr;
    EXPECT_EQ(renewer_->give_back(grant_->marker), fate != Verdict::reply_lost);
    holder_.client.carry_out_late();
    EXPECT_TRUE(world_.leftovers().empty());
  }
}

class FailingRenewalTest : public RenewalTest, public ::testing::WithParamInterface<Mode> {};

// Nothing but the absence of the marker is a loss, and each further try may succeed.
TEST_P(FailingRenewalTest, IsTriedAgainUntilItWorks) {
  for (const int error : {EIO, ETIMEDOUT, ESTALE, EACCES, ENOSPC, EROFS, EINTR}) {
    for (int nth = 1; nth <= (GetParam() == Mode::write ? 1 : 4); ++nth) {
      hold(GetParam());
      fail_call(nth, {Verdict::refused, error});
      EXPECT_EQ(renew(), Renewal::failed) << error << " at " << nth;
      EXPECT_FALSE(in_force());
      holder_.client.before = nullptr;
      EXPECT_EQ(renew(), Renewal::renewed) << error << " at " << nth;
      EXPECT_TRUE(holder_.release(*grant_));
      EXPECT_TRUE(world_.leftovers().empty()) << error << " at " << nth;
    }
  }
}

TEST_P(FailingRenewalTest, WhileTheFileSystemIsAwayNothingIsDecided) {
  hold(GetParam());
  holder_.client.before = [](const Call&) { return Verdict{Verdict::refused, EIO}; };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(renew(), Renewal::failed);
  holder_.client.before = nullptr;
  EXPECT_EQ(renew(), Renewal::renewed);
}

INSTANTIATE_TEST_SUITE_P(Each, FailingRenewalTest, ::testing::Values(Mode::read, Mode::write),
                         [](const auto& test) { return std::string(to_string(test.param)); });

class DowngradeTest : public WorldTest {
 protected:
  std::optional<protocol::Marker> downgrade() { return protocol::swap_writer_for_reader(writer_.site(), held_.marker); }

  Actor& writer_ = world_.join();
  Actor& other_ = world_.join();
  protocol::Grant held_ = writer_.write();
};

TEST_F(DowngradeTest, PublishesBeforeItGivesBack) {
  writer_.take_calls();
  const auto reader = downgrade();
  ASSERT_TRUE(reader);
  EXPECT_EQ(writer_.take_calls(), (Calls{"symlink .#2", "rename .#2 readers/#2", "remove writer/#1", "rmdir writer"}));
  EXPECT_TRUE(reader->validity().in_force(writer_.clock));
}

TEST_F(DowngradeTest, NoOtherWriterComesBetween) {
  auto rival = other_.writer();
  writer_.client.before = [&](const Call&) {
    EXPECT_EQ(rival->step(), Progress::wait);
    return Verdict();
  };
  ASSERT_TRUE(downgrade());
  EXPECT_EQ(rival->step(), Progress::wait);
  EXPECT_EQ(shortened(rival->in_the_way().front()).substr(0, 8), "readers/");
}

TEST_F(DowngradeTest, NotInForceToTheEndItIsOver) {
  writer_.client.after = [&](const Call& call) {
    if (call.operation == "rename") world_.advance(81s);
  };
  EXPECT_FALSE(downgrade());
  EXPECT_TRUE(world_.names("readers").empty());
}

TEST_F(DowngradeTest, WhenPublishingFailsTheWriteLeaseIsAsBefore) {
  for (const Verdict& verdict : {Verdict{Verdict::refused, EDQUOT}, Verdict{Verdict::reply_lost, EIO}}) {
    writer_.client.nth_call(2, verdict);
    EXPECT_THROW(downgrade(), Error);
    EXPECT_TRUE(world_.names("readers").empty());
    EXPECT_EQ(world_.names("writer").size(), 1U);
  }
  writer_.client.before = nullptr;
  EXPECT_TRUE(writer_.release(held_));
}

}  // namespace
}  // namespace rwlease::test
