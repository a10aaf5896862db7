// Getting and giving back a read lease: the very calls, and what stands in its way.
#include "support/world.hpp"

#include "protocol/failure.hpp"

namespace rwlease::test {
namespace {

using protocol::Progress;
using Calls = std::vector<std::string>;

class ReadAttemptTest : public WorldTest {
 protected:
  Actor& reader_ = world_.join();
  Actor& writer_ = world_.join();
};

TEST_F(ReadAttemptTest, UncontendedTakesThreeCallsAndItsReleaseOne) {
  const auto grant = reader_.read();
  EXPECT_EQ(reader_.take_calls(), (Calls{"symlink .#1", "rename .#1 readers/#1", "list"}));
  EXPECT_TRUE(reader_.release(grant));
  EXPECT_EQ(reader_.take_calls(), (Calls{"remove readers/#1"}));
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(ReadAttemptTest, ManyHoldTogether) {
  const auto one = reader_.read();
  const auto two = writer_.read();
  EXPECT_EQ(world_.names("readers"), (Calls{"#1", "#2"}));
}

TEST_F(ReadAttemptTest, IsInForceFromBeforeItsMarkerWasMade) {
  reader_.client.after = [&](const Call& call) {
    if (call.operation == "symlink") world_.advance(20s);
  };
  const auto grant = reader_.read();
  EXPECT_EQ(grant.marker.validity().remaining(reader_.clock), 61s);
  EXPECT_EQ(grant.fence, 0U);
}

TEST_F(ReadAttemptTest, BehindAWriterItWithdrawsAndWaits) {
  const auto held = writer_.write();
  auto attempt = reader_.reader();
  reader_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(reader_.take_calls(), (Calls{"symlink .#2", "rename .#2 readers/#2", "list", "remove readers/#2",
                                         "rmdir writer", "list writer", "look writer/#1", "readlink writer/#1"}));
  EXPECT_TRUE(world_.names("readers").empty());
  ASSERT_EQ(attempt->in_the_way().size(), 1U);
  EXPECT_EQ(shortened(attempt->in_the_way().front()), "writer/#1");
  EXPECT_EQ(attempt->awaited().entry, "writer");
}

TEST_F(ReadAttemptTest, AFurtherPollIsOneLook) {
  const auto held = writer_.write();
  auto attempt = reader_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  reader_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(reader_.take_calls(), (Calls{"look writer/#1"}));
}

TEST_F(ReadAttemptTest, WhenTheWriterHasGoneItStartsAgainWithANewId) {
  const auto held = writer_.write();
  auto attempt = reader_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  writer_.release(held);
  reader_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::held);
  EXPECT_EQ(reader_.take_calls(), (Calls{"look writer/#1", "rmdir writer", "look", "rmdir writer", "symlink .#3",
                                         "rename .#3 readers/#3", "list"}));
  EXPECT_EQ(world_.names("readers"), (Calls{"#3"}));
}

TEST_F(ReadAttemptTest, AnEmptyWriterDirectoryIsClearedAway) {
  reader_.site();
  world_.plant("writer", fs::Type::directory);
  EXPECT_EQ(reader_.reader()->step(), Progress::held) << "left by a crash between the two steps of a release";
}

// An answer that this client had cached says that there is none: believed, readers would publish and withdraw for ever.
TEST_F(ReadAttemptTest, ACachedAbsenceIsBelievedOnlyAfterAForcedLook) {
  const auto held = writer_.write();
  auto attempt = reader_.reader();
  reader_.take_calls();
  bool looked = false;
  reader_.client.before = [&](const Call& call) {
    if (call.operation == "look" && call.name.empty()) looked = true;
    return call.operation == "rmdir" && !looked ? Verdict{Verdict::refused, ENOENT} : Verdict();
  };
  EXPECT_EQ(attempt->step(), Progress::wait);
  const auto calls = reader_.take_calls();
  EXPECT_EQ(Calls(calls.begin() + 4, calls.end()),
            (Calls{"rmdir writer", "look", "rmdir writer", "list writer", "look writer/#1", "readlink writer/#1"}));
}

TEST_F(ReadAttemptTest, AbsenceIsNotBelievedWhenTheForcedLookFails) {
  const auto held = writer_.write();
  auto attempt = reader_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  writer_.release(held);
  reader_.client.before = [](const Call& call) {
    return call.operation == "look" && call.name.empty() ? Verdict{Verdict::refused, EIO} : Verdict();
  };
  EXPECT_EQ(attempt->step(), Progress::wait);
  reader_.client.before = nullptr;
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(ReadAttemptTest, AMarkerThatLostItsTimeWhileLookingIsNotHeld) {
  auto attempt = reader_.reader();
  reader_.client.after = [&](const Call& call) {
    if (call.operation == "list" && call.name.empty()) world_.advance(81s);
  };
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_TRUE(world_.leftovers().empty());
  reader_.client.after = nullptr;
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(ReadAttemptTest, AnAttemptThatIsGivenUpLeavesNothing) {
  { EXPECT_EQ(reader_.reader()->step(), Progress::held); }
  EXPECT_TRUE(world_.leftovers().empty());
}

class PublishFailureTest : public ReadAttemptTest, public ::testing::WithParamInterface<Verdict> {};

TEST_P(PublishFailureTest, LeavesNothingAndIsNoPublish) {
  auto attempt = reader_.reader();
  reader_.client.nth_call(2, GetParam());
  EXPECT_THROW(attempt->step(), Error);
  EXPECT_TRUE(world_.leftovers().empty());
  reader_.client.carry_out_late();
  EXPECT_TRUE(world_.leftovers().empty());
  EXPECT_EQ(attempt->step(), Progress::held) << "the next try, with a new id";
  EXPECT_EQ(world_.names("readers"), (Calls{"#2"}));
}

INSTANTIATE_TEST_SUITE_P(EachWay, PublishFailureTest,
                         ::testing::Values(Verdict{Verdict::refused, EIO}, Verdict{Verdict::refused, EDQUOT},
                                           Verdict{Verdict::reply_lost, EIO}, Verdict{Verdict::reply_lost, ENOENT},
                                           Verdict{Verdict::reply_lost, ESTALE},
                                           Verdict{Verdict::reply_lost, ETIMEDOUT}, Verdict{Verdict::late, ETIMEDOUT},
                                           Verdict{Verdict::late, EINTR}));

TEST_F(ReadAttemptTest, ItsOwnMarkerWhoseReplyWasLostIsFoundThere) {
  auto attempt = reader_.reader();
  reader_.client.nth_call(1, {Verdict::reply_lost, EEXIST});
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(ReadAttemptTest, ARemovedLockDirectoryIsToldAsSuch) {
  auto attempt = reader_.reader();
  world_.remove_lock_directory();
  EXPECT_THROW(attempt->step(), protocol::DirectoryGone);
}

TEST_F(ReadAttemptTest, AListingWithoutReadersIsNeverTakenForFree) {
  auto attempt = reader_.reader();
  reader_.client.after = [&](const Call& call) {
    if (call.operation == "rename") world_.move("readers", "elsewhere");
  };
  EXPECT_THROW(attempt->step(), protocol::DirectoryGone);
}

TEST_F(ReadAttemptTest, ALockDirectoryRemovedWhileItWaitsIsNoticed) {
  const auto held = writer_.write();
  auto attempt = reader_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  world_.remove_lock_directory();
  EXPECT_THROW(attempt->step(), protocol::DirectoryGone);
}

}  // namespace
}  // namespace rwlease::test
