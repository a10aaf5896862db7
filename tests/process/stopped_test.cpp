// A holder that is stopped for longer than its lease.
#include "process/support/clock.hpp"
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <thread>

namespace rwlease::test {
namespace {

using std::chrono::milliseconds;

// Nothing tells when a lease is over that nobody looks at: time has to pass.
void let_the_lease_pass() { std::this_thread::sleep_for(milliseconds(short_lease_ms + 100)); }

class Stopped : public testing::TestWithParam<const char*> {
 protected:
  // The holder is stopped and a successor has taken its place; the holder has not run since.
  void stop_and_succeed() {
    holder_.ask("acquire " + mode_);
    holder_.ask("watch");
    holder_.stop();
    EXPECT_EQ(successor_.ask("acquire write"), "yes");
  }

  const std::string mode_ = GetParam();
  Scratch scratch_;
  Participant holder_{scratch_ / "x", short_lease};
  Participant successor_{scratch_ / "x", short_lease};
};

TEST_P(Stopped, KnowsBeforeAnythingElse) {
  stop_and_succeed();
  holder_.send("valid");
  holder_.signal(SIGCONT);
  EXPECT_EQ(holder_.await_reply().text, "no");
  holder_.await("lost");
  EXPECT_EQ(holder_.ask("verify"), "no");
  EXPECT_EQ(successor_.ask("verify"), "yes");
}

TEST_P(Stopped, ReleaseSaysAlreadyLostAndDisturbsNobody) {
  stop_and_succeed();
  const auto marker = only_entry(scratch_ / "x.rwlease/writer");
  holder_.send("release");
  holder_.signal(SIGCONT);
  EXPECT_EQ(holder_.await_reply().text, "already lost");
  EXPECT_EQ(successor_.ask("verify"), "yes");
  EXPECT_EQ(only_entry(scratch_ / "x.rwlease/writer"), marker);
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease/readers"), std::vector<std::string>{});
}

TEST_P(Stopped, NestedAcquireFails) {
  stop_and_succeed();
  holder_.send("acquire " + mode_);
  holder_.signal(SIGCONT);
  const Line reply = holder_.await_reply();
  EXPECT_EQ(reply.kind, "failed");
  EXPECT_EQ(reply.text.substr(0, 9), "LeaseLost");
}

TEST_P(Stopped, EvictionIsToldInTheEnd) {
  stop_and_succeed();
  holder_.signal(SIGCONT);
  // Suspended first, when the watcher is the first to run, then evicted; or evicted at once.
  Line lost = holder_.await("lost");
  if (lost.text == "suspended") lost = holder_.await("lost");
  EXPECT_EQ(lost.text, "evicted");
  EXPECT_EQ(holder_.ask("state"), "lost");
  EXPECT_FALSE(holder_.hear("renewed", milliseconds(0)));
  EXPECT_EQ(successor_.ask("verify"), "yes");
}

TEST_P(Stopped, MayAcquireAnewAfterRelease) {
  stop_and_succeed();
  holder_.signal(SIGCONT);
  EXPECT_EQ(holder_.ask("release"), "already lost");
  EXPECT_EQ(holder_.ask("try " + mode_), "busy");
  successor_.ask("release");
  EXPECT_EQ(holder_.ask("acquire " + mode_), "yes");
}

TEST_P(Stopped, IsRenewedWhenNobodyEvictedIt) {
  const std::string directory = mode_ == "write" ? "x.rwlease/writer" : "x.rwlease/readers";
  holder_.ask("acquire " + mode_);
  holder_.ask("watch");
  const auto marker = only_entry(scratch_ / directory);
  const std::string fence = holder_.ask("fence");
  holder_.stop();
  let_the_lease_pass();
  holder_.signal(SIGCONT);
  EXPECT_EQ(holder_.await("lost").text, "suspended");
  holder_.await("renewed");
  EXPECT_EQ(holder_.ask("verify"), "yes");
  EXPECT_EQ(holder_.ask("fence"), fence);
  EXPECT_NE(only_entry(scratch_ / directory), marker) << "renewal must change the name";
  EXPECT_EQ(successor_.ask(mode_ == "write" ? "try read" : "try write"), "busy");
  EXPECT_EQ(holder_.ask("release"), "released");
  EXPECT_EQ(successor_.ask("try write"), "held");
}

TEST_P(Stopped, IsLostForGoodWhenItMayNotRenew) {
  Participant holder(scratch_ / "x", short_lease + Words{"renew=0"});
  holder.ask("acquire " + mode_);
  holder.ask("watch");
  holder.stop();
  let_the_lease_pass();
  holder.send("valid");
  holder.signal(SIGCONT);
  EXPECT_EQ(holder.await_reply().text, "no");
  EXPECT_EQ(holder.await("lost").text, "expired");
  EXPECT_EQ(holder.ask("state"), "lost");
  EXPECT_FALSE(holder.hear("renewed", milliseconds(500)));
  EXPECT_EQ(holder.ask("release"), "already lost");
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), std::vector<std::string>{"readers"});
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Mode, Stopped, testing::Values("read", "write"), name_of);

// The process runs: that is no proof that its lease is in force, nor that it is not.
TEST(StoppedWriter, CannotPublish) {
  const Scratch scratch;
  Participant holder(scratch / "x", short_lease);
  Participant successor(scratch / "x", short_lease);
  const auto finished = scratch / "finished";
  const auto target = scratch / "target";
  std::filesystem::create_directory(finished);
  holder.ask("acquire write");
  holder.stop();
  successor.ask("acquire write");
  holder.send("publish " + finished.string() + " " + target.string());
  holder.signal(SIGCONT);
  const Line reply = holder.await_reply();
  EXPECT_EQ(reply.text.substr(0, 9), "LeaseLost");
  EXPECT_FALSE(std::filesystem::exists(target));
  EXPECT_EQ(successor.ask("publish " + finished.string() + " " + target.string()), "");
  EXPECT_TRUE(std::filesystem::exists(target));
}

TEST(StoppedWriter, CannotDowngrade) {
  const Scratch scratch;
  Participant holder(scratch / "x", short_lease);
  Participant successor(scratch / "x", short_lease);
  holder.ask("acquire write");
  holder.stop();
  successor.ask("acquire write");
  holder.send("downgrade");
  holder.signal(SIGCONT);
  EXPECT_EQ(holder.await_reply().text.substr(0, 9), "LeaseLost");
  EXPECT_EQ(listing_without_fences(scratch / "x.rwlease/readers"), std::vector<std::string>{});
  EXPECT_EQ(successor.ask("verify"), "yes");
}

// Between its last look and what it does with it, at each point of the way in.
class StoppedOnTheWay : public testing::TestWithParam<const char*> {};

TEST_P(StoppedOnTheWay, NeverEntersOnAnOldLook) {
  const Scratch scratch;
  const std::string point = GetParam();
  const bool reads = point.front() == 'r';
  Participant late(scratch / "x", short_lease + Words{"stop=" + point});
  late.send(reads ? "acquire read" : "acquire write");
  late.await("point");
  Participant successor(scratch / "x", short_lease);
  EXPECT_EQ(successor.ask("acquire write"), "yes");
  let_the_lease_pass();
  late.signal(SIGCONT);
  EXPECT_FALSE(late.hear("done", milliseconds(500)));
  EXPECT_EQ(successor.ask("verify"), "yes");
  const auto left = successor.ask_when("release");
  EXPECT_GT(late.await("done").at, left.at - milliseconds(500));
  EXPECT_EQ(late.ask("verify"), "yes");
}

INSTANTIATE_TEST_SUITE_P(Point, StoppedOnTheWay,
                         testing::Values("reader-prepared", "reader-published", "claim-made", "claim-prepared",
                                         "claimed", "fenced"),
                         name_of);

// The way out, too: the late half of a release must not hit the successor.
TEST(StoppedWhileReleasing, SuccessorIsUndisturbed) {
  const Scratch scratch;
  Participant late(scratch / "x", short_lease + Words{"stop=writer-half-left"});
  late.ask("acquire write");
  late.send("release");
  late.await("point");
  Participant successor(scratch / "x", short_lease);
  EXPECT_EQ(successor.ask("acquire write"), "yes");
  late.signal(SIGCONT);
  late.await("done");
  EXPECT_EQ(successor.ask("verify"), "yes");
  Participant third(scratch / "x", long_lease);
  EXPECT_EQ(third.ask("try read"), "busy");
}

}  // namespace
}  // namespace rwlease::test
