// --slurm of rwlease wait and rwlease break, and a job in the status. The holder lives: nothing but Slurm's word makes
// it a dead one. What is believed of Slurm's answers: slurm_oracle_test.cpp.
#include "arrival.hpp"
#include "fake_slurm.hpp"
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

namespace rwlease::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SlurmsWord : public testing::Test {
 protected:
  SlurmsWord() { holder_.await_out("ready"); }

  const Scratch scratch_;
  Program holder_{with_subject({"--interval", "0.3", "--lease", "900"}, scratch_.path()), enter_job};
};

TEST_F(SlurmsWord, LetsAWaitEndAndChangesNothing) {
  const FakeSlurm slurm("COMPLETED");
  const auto held = listing(scratch_.directory());
  EXPECT_EQ(run({"wait", "--timeout", "0.3", scratch_.path()}).code, 124) << "it is not asked unbidden";
  EXPECT_EQ(slurm.questions(), "");
  EXPECT_EQ(run({"wait", "--slurm", "--timeout", "30", scratch_.path()}).code, 0);
  EXPECT_EQ(listing(scratch_.directory()), held);
}

TEST_F(SlurmsWord, IsWaitedForByWhoLooksOnce) {
  {
    const FakeSlurm slurm("COMPLETED");
    const Result free = run({"wait", "--slurm", "--timeout", "0", scratch_.path()});
    EXPECT_EQ(free.code, 0) << free.err;
    EXPECT_EQ(slurm.questions(), "--oneliner show config\n--oneliner show job 13\n") << "each once";
  }
  const FakeSlurm slurm("RUNNING");
  const Result held = run({"wait", "--slurm", "--timeout", "0", "-E", "7", scratch_.path()});
  EXPECT_EQ(held.code, 7);
  EXPECT_THAT(held.err, HasSubstr("not free: held by writer"));
  EXPECT_THAT(slurm.questions(), HasSubstr("show job 13"));
}

TEST_F(SlurmsWord, IsNotWaitedForWhenASignalComes) {
  const SilentSlurm slurm;
  const std::vector<std::vector<std::string>> commands{{"break", "--slurm", "--dead", scratch_.path()},
                                                       {"wait", "--slurm", "--timeout", "0", scratch_.path()}};
  for (const auto& command : commands) {
    const Arrival asked(slurm.directory());
    Program program(command);
    asked.await();
    program.send(SIGTERM);
    const Result result = program.finish();
    EXPECT_EQ(result.code, 128 + SIGTERM);
    const bool breaks = command.front() == "break";
    EXPECT_EQ(result.err, breaks ? "rwlease: interrupted by SIGTERM: nobody was broken\n" : "");
  }
}

TEST_F(SlurmsWord, ThatTheJobRunsLeavesAWaitWaiting) {
  const FakeSlurm slurm("RUNNING");
  Program waiter({"wait", "--slurm", scratch_.path()});
  while (slurm.questions().find("job 13") == std::string::npos) {
  }
  holder_.send(SIGTERM);
  EXPECT_EQ(waiter.finish().code, 0);
}

TEST_F(SlurmsWord, IsEnoughToBreakTheLeaseOfTheDead) {
  const FakeSlurm slurm("NODE_FAIL");
  EXPECT_EQ(run({"break", "--dead", scratch_.path()}).code, 1) << "it is not asked unbidden";
  const Result result = run({"break", "--dead", "--slurm", scratch_.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("removed writer"));
  EXPECT_EQ(slurm.questions(), "--oneliner show config\n--oneliner show job 13\n");
  EXPECT_EQ(holder_.finish().code, 123);
}

TEST_F(SlurmsWord, ThatTheJobRunsSavesItsLease) {
  const FakeSlurm slurm("RUNNING");
  const Result result = run({"break", "--dead", "--slurm", scratch_.path()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("nothing to do"));
  EXPECT_THAT(slurm.questions(), HasSubstr("show job 13"));
  EXPECT_EQ(run({"wait", "--timeout", "0", scratch_.path()}).code, 124) << "it holds";
}

TEST_F(SlurmsWord, IsNotForNumbers) {
  const Result result = run({"wait", "--slurm", "--generation", "1", scratch_.path()});
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, HasSubstr("--slurm is about holders"));
}

TEST_F(SlurmsWord, IsNotNeededToShowTaskAndStep) {
  EXPECT_THAT(run({"status", scratch_.path()}).out, HasSubstr(" 12_3.0 "));
}

}  // namespace
}  // namespace rwlease::test
