// rwlease wait and rwlease fence: looking on, and changing nothing.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

namespace rwlease::test {
namespace {

using testing::HasSubstr;

std::string fence_of(const Scratch& scratch) {
  const Result result = run({"fence", scratch.path()});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  return result.out;
}

std::string write_once(const Scratch& scratch) {
  return run({"run", scratch.path(), "--", "sh", "-c", "echo $RWLEASE_FENCE"}).out;
}

TEST(Fence, IsThatOfTheNewestWriteLease) {
  const Scratch scratch;
  EXPECT_EQ(fence_of(scratch), "0\n");
  EXPECT_TRUE(listing(scratch.directory()).empty()) << "asking makes nothing";
  const std::string first = write_once(scratch);
  EXPECT_EQ(fence_of(scratch), first);
  const std::string second = write_once(scratch);
  EXPECT_NE(second, first);
  EXPECT_EQ(fence_of(scratch), second);
  run({"run", "--read", scratch.path(), "--", "true"});
  EXPECT_EQ(fence_of(scratch), second);
}

TEST(Fence, OfWhatCannotBeReadIsAFailure) {
  const Scratch scratch;
  const Result result = run({"fence", scratch.path("missing/data")});
  EXPECT_EQ(result.code, 125);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("its parent directory must exist"));
}

class Wait : public testing::TestWithParam<const char*> {
 protected:
  const Scratch scratch_;
};

TEST_P(Wait, EndsWhenTheHolderLeavesAndChangesNothing) {
  Program holder(with_subject({GetParam()}, scratch_.path()));
  holder.await_out("ready");
  const auto held = listing(scratch_.directory());
  Program waiter({"wait", scratch_.path()});
  const Result looked = run({"wait", "--timeout", "0", "-E", "3", scratch_.path()});
  EXPECT_EQ(looked.code, 3);
  EXPECT_THAT(looked.err, HasSubstr("not free: held by"));
  EXPECT_EQ(run({"wait", "--timeout", "0.3", scratch_.path()}).code, 124);
  EXPECT_EQ(listing(scratch_.directory()), held);
  holder.send(SIGTERM);
  const Result result = waiter.finish();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

INSTANTIATE_TEST_SUITE_P(For, Wait, testing::Values("--read", "--write"));

TEST(WaitForALock, ThatNobodyUsesIsOverAtOnce) {
  const Scratch scratch;
  EXPECT_EQ(run({"wait", scratch.path()}).code, 0);
  EXPECT_TRUE(listing(scratch.directory()).empty()) << "nothing is made";
}

TEST(WaitForALock, ThatIsRemovedIsOver) {
  const Scratch scratch;
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  Program waiter({"wait", scratch.path()});
  std::filesystem::remove_all(scratch.path() + ".rwlease");
  EXPECT_EQ(waiter.finish().code, 0);
}

TEST(WaitForALock, TakesADeadHolderForGoneAndLeavesItThere) {
  const Scratch scratch;
  Program holder(with_subject({"--local"}, scratch.path()));
  holder.await_out("ready");
  holder.send(SIGKILL);
  holder.await_exit();
  holder.await_end_of_out();
  const auto left = listing(scratch.directory());
  EXPECT_EQ(run({"wait", "--timeout", "20", scratch.path()}).code, 0);
  EXPECT_EQ(listing(scratch.directory()), left);
}

TEST(WaitForALock, IsEndedByASignal) {
  const Scratch scratch;
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  Program waiter({"wait", scratch.path()});
  waiter.send(SIGTERM);
  EXPECT_EQ(waiter.await_exit(), 128 + SIGTERM);
}

TEST(WaitForAGeneration, EndsWithTheWriteLeaseThatReachesIt) {
  const Scratch scratch;
  const std::string first = write_once(scratch);
  EXPECT_EQ(run({"wait", "--timeout", "0", "--generation", std::to_string(std::stoull(first)), scratch.path()}).code,
            0);
  const std::string next = std::to_string(std::stoull(first) + 1);
  const Result early = run({"wait", "--timeout", "0", "--generation", next, scratch.path()});
  EXPECT_EQ(early.code, 124);
  EXPECT_THAT(early.err, HasSubstr("not at " + next + " yet"));
  Program waiter({"wait", "--generation", next, scratch.path()});
  run({"run", "--read", scratch.path(), "--", "true"});
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  EXPECT_EQ(waiter.finish().code, 0) << "while the writer still holds";
}

TEST(WaitForAGeneration, WorksBeforeTheLockIsUsedForTheFirstTime) {
  const Scratch scratch;
  Program waiter({"wait", "--generation", "1", scratch.path()});
  write_once(scratch);
  EXPECT_EQ(waiter.finish().code, 0);
}

}  // namespace
}  // namespace rwlease::test
