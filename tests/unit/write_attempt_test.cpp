// Getting and giving back the write lease: claim, wait, drain, enter.
#include "support/world.hpp"

#include "protocol/failure.hpp"

namespace rwlease::test {
namespace {

using protocol::Progress;
using Calls = std::vector<std::string>;

// The number in a fence's name is the server's time.
void hide_fence_numbers(Calls& calls) {
  for (std::string& call : calls) {
    for (std::size_t at = call.find(".f."); at != std::string::npos; at = call.find(".f.", at + 1)) {
      call.erase(at + 3, call.find_first_not_of("0123456789", at + 3) - at - 3);
    }
  }
}

class WriteAttemptTest : public WorldTest {
 protected:
  static Calls calls_of(Actor& actor) {
    Calls calls = actor.take_calls();
    hide_fence_numbers(calls);
    return calls;
  }

  Actor& writer_ = world_.join();
  Actor& other_ = world_.join();
};

TEST_F(WriteAttemptTest, UncontendedCalls) {
  const auto first = writer_.write();
  EXPECT_EQ(calls_of(writer_), (Calls{"mkdir readers/.w.#1", "symlink readers/.w.#1/#1", "rename readers/.w.#1 writer",
                                      "list readers", "glance readers", "symlink readers/.f."}));
  EXPECT_TRUE(writer_.release(first));
  EXPECT_EQ(calls_of(writer_), (Calls{"remove writer/#1", "rmdir writer"}));
  EXPECT_TRUE(world_.leftovers().empty());
  const auto second = writer_.write();
  EXPECT_EQ(calls_of(writer_).back(), "rename readers/.f. readers/.f.");
}

TEST_F(WriteAttemptTest, BehindAWriterItWaitsHiddenAndPollsWithOneLook) {
  const auto held = other_.write();
  auto attempt = writer_.writer();
  writer_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(writer_.take_calls(),
            (Calls{"mkdir readers/.w.#2", "symlink readers/.w.#2/#2", "rename readers/.w.#2 writer", "rmdir writer",
                   "list writer", "look writer/#1", "readlink writer/#1"}));
  EXPECT_EQ(world_.names("readers"), (Calls{".w.#2"}));
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(writer_.take_calls(), (Calls{"look writer/#1"}));
  EXPECT_EQ(shortened(attempt->in_the_way().front()), "writer/#1");
}

TEST_F(WriteAttemptTest, ClaimsWhenTheOtherHasGone) {
  const auto held = other_.write();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  other_.release(held);
  EXPECT_EQ(attempt->step(), Progress::held);
  EXPECT_EQ(world_.names("writer"), (Calls{"#2"}));
}

TEST_F(WriteAttemptTest, DrainsTheReadersThatAreThereAndKeepsNewOnesOut) {
  const auto reading = other_.read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(world_.names("writer"), (Calls{"#2"}));
  Actor& late = world_.join();
  EXPECT_EQ(late.reader()->step(), Progress::wait);
  EXPECT_EQ(shortened(attempt->in_the_way().front()), "readers/#1");
  EXPECT_EQ(attempt->awaited().directory, "readers");
  other_.release(reading);
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(WriteAttemptTest, APollWhileDrainingIsOneLook) {
  const auto one = other_.read();
  const auto two = world_.join().read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  writer_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(writer_.take_calls(), (Calls{"look readers/#1"}));
}

TEST_F(WriteAttemptTest, ALookThatFailsChangesNothing) {
  const auto reading = other_.read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  writer_.take_calls();
  writer_.client.nth_call(1, {Verdict::refused, EIO});
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(writer_.take_calls(), (Calls{"look readers/#1"}));
}

TEST_F(WriteAttemptTest, ListsAgainOnlyAfterAnOwnChange) {
  const auto reading = other_.read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  other_.release(reading);
  writer_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::held);
  const Calls calls = writer_.take_calls();
  EXPECT_EQ(Calls(calls.begin(), calls.begin() + 4),
            (Calls{"look readers/#1", "symlink readers/.o.#3", "remove readers/.o.#3", "list readers"}));
}

TEST_F(WriteAttemptTest, AReaderThatPublishedJustBeforeTheClaimIsSeen) {
  auto reading = other_.reader();
  auto attempt = writer_.writer();
  writer_.client.before = [&](const Call& call) {
    if (call.operation == "rename") {
      EXPECT_EQ(reading->step(), Progress::held);
    }
    return Verdict();
  };
  EXPECT_EQ(attempt->step(), Progress::wait);
}

TEST_F(WriteAttemptTest, AReaderThatTheListingMissedIsFoundByTheNext) {
  const auto reading = other_.read();
  Actor& missed = world_.join();
  auto attempt = writer_.writer();
  const auto also = missed.read();
  // Hidden from the first listing, as one of several replies can do.
  const std::string name = also.marker.name();
  writer_.client.before = [&](const Call& call) {
    if (call.operation == "list") world_.move("readers/" + name, name);
    return Verdict();
  };
  writer_.client.after = [&](const Call& call) {
    if (call.operation != "list") return;
    world_.move(name, "readers/" + name);
    writer_.client.before = nullptr;
    writer_.client.after = nullptr;
  };
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(attempt->in_the_way().size(), 1U);
  other_.release(reading);
  EXPECT_EQ(attempt->step(), Progress::wait);
  missed.release(also);
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(WriteAttemptTest, AnErrorWhileListingIsNeverTakenForEmpty) {
  for (const int error : {EIO, ENOENT, ESTALE, EACCES}) {
    const auto reading = other_.read();
    auto attempt = writer_.writer();
    writer_.client.nth_call(4, {Verdict::refused, error});
    EXPECT_THROW(attempt->step(), Error) << error;
    writer_.client.before = nullptr;
    EXPECT_EQ(attempt->step(), Progress::wait);
    other_.release(reading);
  }
}

TEST_F(WriteAttemptTest, ItIsKeptAliveWhileItWaits) {
  const auto held = other_.write();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  ASSERT_TRUE(attempt->next_beat());
  EXPECT_EQ(*attempt->next_beat() - writer_.clock.boot(), 30s);
  world_.advance(30s);
  writer_.take_calls();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(writer_.take_calls(),
            (Calls{"look readers/.w.#2/#2", "touch readers/.w.#2/#2", "glance readers/.w.#2/#2", "look writer/#1"}));
  EXPECT_EQ(*attempt->next_beat() - writer_.clock.boot(), 30s);
}

TEST_F(WriteAttemptTest, ItIsKeptAliveWhileItDrains) {
  const auto reading = other_.read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  for (int i = 0; i < 20; ++i) {
    world_.advance(30s);
    world_.touch(reading.marker.path());
    EXPECT_EQ(attempt->step(), Progress::wait);
  }
  EXPECT_EQ(world_.names("writer"), (Calls{"#2"}));
  other_.release(reading);
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(WriteAttemptTest, StartsOverWhenItWasEvictedWhileItWaited) {
  const auto held = other_.write();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  std::string hidden;
  for (const auto& [name, node] : world_.node("readers")->entries) {
    if (name.compare(0, 3, ".w.") == 0) hidden = "readers/" + name;
  }
  const std::string marker = hidden + "/" + world_.node(hidden)->entries.begin()->first;
  world_.unplant(marker);
  world_.unplant(hidden);
  world_.advance(30s);
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(world_.names("readers"), (Calls{".w.#3"}));
  other_.release(held);
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(WriteAttemptTest, StartsOverWhenItSleptPastItsLease) {
  const auto reading = other_.read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  writer_.clock.advance(81s);
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(world_.names("writer"), (Calls{"#3"})) << "a new claim; the old one could have been evicted";
}

TEST_F(WriteAttemptTest, DoesNotEnterWhenItsLeaseRanOutOnTheLastStep) {
  auto attempt = writer_.writer();
  writer_.client.after = [&](const Call& call) {
    if (call.name.find(".f.") != std::string::npos) world_.advance(81s);
  };
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(WriteAttemptTest, GivenUpInAnyPhaseItLeavesNothing) {
  { EXPECT_EQ(writer_.writer()->step(), Progress::held); }
  EXPECT_TRUE(world_.leftovers().empty());
  const auto reading = other_.read();
  { EXPECT_EQ(writer_.writer()->step(), Progress::wait); }
  EXPECT_FALSE(world_.node()->entries.count("writer"));
  other_.release(reading);
  const auto held = other_.write();
  { EXPECT_EQ(writer_.writer()->step(), Progress::wait); }
  EXPECT_TRUE(world_.names("readers").empty());
  EXPECT_EQ(world_.names("writer").size(), 1U) << "the other's claim is not touched";
}

TEST_F(WriteAttemptTest, WithdrawsInTheOrderThatALateClaimCannotSpoil) {
  auto attempt = writer_.writer();
  writer_.client.nth_call(3, {Verdict::refused, ETIMEDOUT});
  EXPECT_THROW(attempt->step(), Error);
  const Calls calls = writer_.take_calls();
  EXPECT_EQ(Calls(calls.begin() + 3, calls.end()), (Calls{"remove readers/.w.#1/#1", "mkdir writer", "rmdir writer",
                                                          "remove writer/#1", "rmdir readers/.w.#1", "rmdir writer"}));
}

TEST_F(WriteAttemptTest, WithdrawsFromItsClaimByTheMarkerThenTheDirectory) {
  const auto reading = other_.read();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  writer_.take_calls();
  attempt.reset();
  EXPECT_EQ(writer_.take_calls(), (Calls{"remove writer/#2", "rmdir writer"}));
}

// The claim's rename whose outcome is unknown is carried out between any two steps of the withdrawal, or after it.
class LateClaimTest : public WriteAttemptTest, public ::testing::WithParamInterface<int> {};

TEST_P(LateClaimTest, NeverLeavesAClaim) {
  auto attempt = writer_.writer();
  int after_the_rename = -1;
  writer_.client.before = [&](const Call& call) {
    if (call.operation == "rename") {
      after_the_rename = 0;
      return Verdict{Verdict::late, ETIMEDOUT};
    }
    if (after_the_rename >= 0 && after_the_rename++ == GetParam()) writer_.client.carry_out_late();
    return Verdict();
  };
  EXPECT_THROW(attempt->step(), Error);
  writer_.client.carry_out_late();
  writer_.client.before = nullptr;
  for (const std::string& left : world_.leftovers()) EXPECT_EQ(left, "writer") << "an empty directory is no claim";
  EXPECT_EQ(other_.reader()->step(), Progress::held);
  EXPECT_EQ(other_.writer()->step(), Progress::held);
  EXPECT_TRUE(world_.leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(BeforeEachStep, LateClaimTest, ::testing::Range(0, 5));

TEST_F(WriteAttemptTest, AClaimWhoseReplyWasLostIsWithdrawn) {
  for (const int error : {EIO, ENOENT, ESTALE, ETIMEDOUT}) {
    auto attempt = writer_.writer();
    writer_.client.nth_call(3, {Verdict::reply_lost, error});
    EXPECT_THROW(attempt->step(), Error);
    EXPECT_TRUE(world_.leftovers().empty());
    EXPECT_EQ(attempt->step(), Progress::held);
  }
}

TEST_F(WriteAttemptTest, ItsOwnEntriesWhoseReplyWasLostAreTakenForMade) {
  for (const int n : {1, 2}) {
    auto attempt = writer_.writer();
    writer_.client.nth_call(n, {Verdict::reply_lost, EEXIST});
    EXPECT_EQ(attempt->step(), Progress::held);
  }
}

// On NFSv3 a client may go on believing that there is no writer, forced looks or not, until it fails to make one.
class BelievedAbsent : public WriteAttemptTest {
 protected:
  BelievedAbsent() {
    writer_.client.before = [this](const Call& call) {
      if (call.operation == "mkdir" && call.name == "writer") believes_ = false;
      const bool names_it = call.name.compare(0, 6, "writer") == 0 && call.operation != "mkdir";
      return believes_ && names_it ? Verdict{Verdict::refused, ENOENT} : Verdict();
    };
  }

  bool believes_ = true;
};

TEST_F(BelievedAbsent, AWriterThatStandsIsFoundAllTheSame) {
  const auto held = other_.write();
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_FALSE(believes_);
  EXPECT_EQ(attempt->in_the_way(), std::vector<std::string>{held.marker.path()});
  EXPECT_TRUE(other_.release(held));
  EXPECT_EQ(attempt->step(), Progress::held);
}

TEST_F(BelievedAbsent, AReaderFindsItToo) {
  const auto held = other_.write();
  auto attempt = writer_.reader();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_EQ(attempt->in_the_way(), std::vector<std::string>{held.marker.path()});
}

TEST_F(BelievedAbsent, AClaimOfUnknownOutcomeIsWithdrawn) {
  auto attempt = writer_.writer();
  const auto believing = writer_.client.before;
  writer_.client.before = [=](const Call& call) {
    return call.operation == "rename" ? Verdict{Verdict::reply_lost, ENOENT} : believing(call);
  };
  EXPECT_THROW(attempt->step(), Error);
  EXPECT_TRUE(world_.leftovers().empty());
}

// Likewise for what a fresh listing shows and looks call absent.
TEST_F(WriteAttemptTest, WhatAListingShowsIsNotBelievedAbsent) {
  const auto reading = other_.read();
  bool believes = true;
  writer_.client.before = [&](const Call& call) {
    const bool names_it = call.name == reading.marker.path();
    if (names_it && call.operation == "mkdir") believes = false;
    return names_it && believes && call.operation != "mkdir" ? Verdict{Verdict::refused, ENOENT} : Verdict();
  };
  auto attempt = writer_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  EXPECT_FALSE(believes);
  EXPECT_EQ(attempt->in_the_way(), std::vector<std::string>{reading.marker.path()});
  EXPECT_TRUE(other_.release(reading));
  EXPECT_EQ(attempt->step(), Progress::held);
}

// A reply that says "exists" or "absent" has not told this client of a change, so its view of the readers may be old.
TEST_F(WriteAttemptTest, AnOwnChangeThatIsNotSeenToSucceedIsNone) {
  const protocol::Site site = writer_.site();
  writer_.client.before = [](const Call& call) {
    if (call.operation == "symlink") return Verdict{Verdict::reply_lost, EEXIST};
    return call.operation == "remove" ? Verdict{Verdict::reply_lost, ENOENT} : Verdict();
  };
  EXPECT_TRUE(protocol::change_directory_itself(site, protocol::readers_name).transient());
  writer_.client.nth_call(1, {Verdict::reply_lost, EEXIST});
  EXPECT_TRUE(protocol::change_directory_itself(site, protocol::readers_name).ok()) << "the removal was seen";
  EXPECT_TRUE(world_.leftovers().empty());
}

TEST_F(WriteAttemptTest, AWithdrawalThatNeverClaimedLeavesOthersClaimsAlone) {
  const auto held = other_.write();
  auto attempt = writer_.writer();
  writer_.client.nth_call(3, {Verdict::refused, EIO});
  EXPECT_THROW(attempt->step(), Error);
  EXPECT_EQ(world_.names("writer"), (Calls{"#1"}));
  EXPECT_TRUE(other_.release(held));
}

TEST_F(WriteAttemptTest, ADirectoryThatWasRemovedIsToldAsSuch) {
  auto attempt = writer_.writer();
  world_.unplant("readers");
  EXPECT_THROW(attempt->step(), protocol::DirectoryGone);
}

}  // namespace
}  // namespace rwlease::test
