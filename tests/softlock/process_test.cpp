// Real processes on a local file system: exclusion, kill -9 at every system call, threads, fork.
#include "process/support/judge.hpp"
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "softlock/support/primitives.hpp"
#include "support/fork_safety.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <list>

namespace rwlease::test {
namespace {

class Processes : public testing::TestWithParam<Primitive> {
 protected:
  Words words(const Words& more = {}) const { return Words{"primitive=" + word(GetParam())} + more; }
  std::filesystem::path entry() const { return scratch_ / (GetParam() == Primitive::directory ? "x.LOCK" : "x.lock"); }

  Scratch scratch_;
};
INSTANTIATE_TEST_SUITE_P(By, Processes, testing::ValuesIn(primitives), name_of_primitive);

// Intervals on one clock, and a number that only grows by one in each hold.
TEST_P(Processes, SixteenExcludeEachOther) {
  const std::string counter = scratch_ / "counter";
  std::ofstream(counter) << "0\n";
  std::list<Participant> all;
  for (int i = 0; i < 16; ++i) all.emplace_back(scratch_ / "x", words({"poll=0.005"}));
  for (Participant& one : all) one.send("contend 3000 " + counter);
  std::vector<Hold> holds;
  for (Participant& one : all) {
    const Line end = one.await_reply();
    EXPECT_EQ(end.kind, "done") << end.text;
    EXPECT_FALSE(one.hear("torn", std::chrono::milliseconds(0)));
    while (auto line = one.hear("hold", std::chrono::milliseconds(0))) {
      holds.push_back(parse_hold(line->text, std::to_string(one.pid())));
    }
  }
  const auto overlaps = excluding_overlaps(holds);
  EXPECT_TRUE(overlaps.empty()) << describe(overlaps);
  EXPECT_GE(holds.size(), all.size());
  long counted = 0;
  std::ifstream(counter) >> counted;
  EXPECT_EQ(counted, static_cast<long>(holds.size()));
  EXPECT_EQ(listing(scratch_.directory()), std::vector<std::string>{"counter"});
  std::printf("%zu holds of 16 processes\n", holds.size());
}

// The same while owners die: each dead one must be cleared away by exactly one of those who wait.
TEST_P(Processes, SixteenExcludeEachOtherWhileOwnersDie) {
  const std::string counter = scratch_ / "counter";
  std::ofstream(counter) << "0\n";
  std::list<Participant> all;
  for (int i = 0; i < 16; ++i) all.emplace_back(scratch_ / "x", words({"poll=0.005"}));
  for (Participant& one : all) one.send("contend 3000 " + counter);
  int died = 0;
  for (int i = 0; i < 10; ++i) {
    Participant victim(scratch_ / "x", words({"poll=0.001", "timeout=20"}));
    if (victim.ask("lock") == "yes") ++died;
    victim.kill_hard();
  }
  std::vector<Hold> holds;
  for (Participant& one : all) {
    const Line end = one.await_reply();
    EXPECT_EQ(end.kind, "done") << end.text;
    while (auto line = one.hear("hold", std::chrono::milliseconds(0))) {
      holds.push_back(parse_hold(line->text, std::to_string(one.pid())));
    }
  }
  EXPECT_EQ(died, 10);
  const auto overlaps = excluding_overlaps(holds);
  EXPECT_TRUE(overlaps.empty()) << describe(overlaps);
  long counted = 0;
  std::ifstream(counter) >> counted;
  EXPECT_EQ(counted, static_cast<long>(holds.size()));
}

// kill -9 before every call that changes the file system, from the first of taking to the last of giving back.
TEST_P(Processes, KilledAtEveryCall) {
  int killed = 0;
  for (int n = 1;; ++n) {
    Participant victim(scratch_ / "x", words());
    victim.ask("die " + std::to_string(n));
    victim.send("cycle");
    victim.hear("done", patience);
    victim.close_input();
    const int status = victim.await_exit();
    if (!WIFSIGNALED(status)) break;
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
    ++killed;
    // What was never finished is waited out; all else is proven dead.
    Participant next(scratch_ / "x", words({"timeout=25"}));
    EXPECT_EQ(next.ask("lock"), "yes") << "killed before call " << n;
    EXPECT_EQ(next.ask("locked"), "yes");
    EXPECT_EQ(next.ask("unlock"), "released");
  }
  EXPECT_GE(killed, 5);
}

TEST_P(Processes, LeftoversAreSweptAfterACrash) {
  Participant victim(scratch_ / "x", words());
  victim.ask("lock");
  victim.kill_hard();
  Participant next(scratch_ / "x", words());
  EXPECT_EQ(next.ask("lock"), "yes");
  EXPECT_EQ(next.ask("unlock"), "released");
  EXPECT_TRUE(listing(scratch_.directory()).empty());
}

TEST_P(Processes, FailingLockSaysWhoHolds) {
  Participant one(scratch_ / "x", words({"label=nightly"}));
  Participant other(scratch_ / "x", words({"timeout=0.2"}));
  one.ask("lock");
  const std::string refusal = other.refusal("lock");
  EXPECT_EQ(refusal.substr(0, 9), "LockBusy|");
  EXPECT_NE(refusal.find("process " + std::to_string(one.pid())), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("nightly"), std::string::npos) << refusal;
  EXPECT_TRUE(other.hear("failure", patience)) << "the callback is told too";
  EXPECT_EQ(other.ask("try"), "no");
  EXPECT_EQ(one.ask("owner").substr(0, 8), "rwlease|");
}

TEST_P(Processes, TriesInsteadOfATimeout) {
  Participant one(scratch_ / "x", words());
  Participant other(scratch_ / "x", words({"tries=3"}));
  one.ask("lock");
  EXPECT_NE(other.refusal("lock").find("the tries are over"), std::string::npos);
  one.ask("unlock");
  EXPECT_EQ(other.ask("lock"), "yes");
}

// A waiter of this host is woken by the removal itself: its poll is longer than any test.
TEST_P(Processes, WaiterIsWokenOnItsHost) {
  Participant one(scratch_ / "x", words());
  Participant waiter(scratch_ / "x", words({"poll=3000"}));
  one.ask("lock");
  waiter.send("lock");
  EXPECT_FALSE(waiter.hear("done", std::chrono::milliseconds(300)));
  one.ask("unlock");
  EXPECT_EQ(waiter.await_reply().kind, "done");
}

TEST_P(Processes, DeadOwnerIsReleasedByAnybody) {
  Participant victim(scratch_ / "x", words());
  Participant other(scratch_ / "x", words());
  victim.ask("lock");
  EXPECT_EQ(other.ask("release_dead"), "no");
  victim.kill_hard();
  EXPECT_EQ(other.ask("release_dead"), "yes");
  EXPECT_EQ(other.ask("owner"), "nobody");
}

TEST_P(Processes, BrokenLockIsGoneAndItsOwnerFindsOut) {
  Participant one(scratch_ / "x", words());
  Participant other(scratch_ / "x", words());
  EXPECT_EQ(other.ask("break"), "no");
  one.ask("lock");
  EXPECT_EQ(other.ask("break"), "yes");
  EXPECT_EQ(one.ask("locked"), "no");
  EXPECT_EQ(other.ask("lock"), "yes");
  EXPECT_EQ(one.ask("unlock"), "already lost");
  EXPECT_EQ(other.ask("locked"), "yes");
}

// Stopped for longer than its promise: it knows, others have taken over, and it touches nobody's.
TEST_P(Processes, StoppedOwnerLosesWithoutHarm) {
  Participant one(scratch_ / "x", words({"stale=2", "heartbeat=0.5"}));
  Participant other(scratch_ / "x", words({"stale=2", "proof=0"}));
  one.ask("lock");
  EXPECT_EQ(other.ask("try"), "no");
  one.stop();
  EXPECT_EQ(other.ask("lock"), "yes");
  one.signal(SIGCONT);
  EXPECT_EQ(one.ask("valid"), "no");
  EXPECT_EQ(one.ask("unlock"), "already lost");
  EXPECT_EQ(other.ask("locked"), "yes");
}

TEST_P(Processes, HeartbeatKeepsALiveOwner) {
  Participant one(scratch_ / "x", words({"stale=2", "heartbeat=0.2"}));
  Participant other(scratch_ / "x", words({"stale=2", "proof=0", "timeout=5"}));
  one.ask("lock");
  EXPECT_EQ(other.refusal("lock").substr(0, 8), "LockBusy");
  EXPECT_EQ(one.ask("valid"), "yes");
  EXPECT_EQ(one.ask("unlock"), "released");
}

TEST_P(Processes, HeartbeatTellsThatItWasTakenAway) {
  Participant one(scratch_ / "x", words({"stale=2", "heartbeat=0.2"}));
  one.ask("lock");
  std::filesystem::remove_all(entry());
  EXPECT_TRUE(one.hear("failure", patience));
  EXPECT_EQ(one.ask("locked"), "no");
}

TEST_P(Processes, ThreadsShareAnObject) {
  Participant one(scratch_ / "x", words({"poll=0.001"}));
  EXPECT_EQ(one.ask("threads 4 25"), "100");
  one.ask("lock");
  EXPECT_EQ(one.refusal("lock").substr(0, 10), "UsageError");
  EXPECT_EQ(one.ask("unlock"), "released");
  EXPECT_EQ(one.refusal("unlock").substr(0, 10), "UsageError");
}

TEST_P(Processes, ForkedChildHoldsNothing) {
  if (const char* why = why_no_fork_beside_threads()) GTEST_SKIP() << why;
  Participant one(scratch_ / "x", words({"stale=60", "heartbeat=1"}));
  one.ask("lock");
  EXPECT_EQ(one.ask("fork"), "0");
  EXPECT_EQ(one.await("child").text, "locked=no valid=no release=invalid after fork try=no");
  EXPECT_EQ(one.ask("locked"), "yes");
  EXPECT_EQ(one.ask("unlock"), "released");
}

}  // namespace
}  // namespace rwlease::test
