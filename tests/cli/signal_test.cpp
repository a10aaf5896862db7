// Signals to `rwlease run`: passed on while the command runs, an end to the wait before.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <fstream>

namespace rwlease::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Signals, AreAllPassedOnToTheCommand) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path()));
  program.await_out("ready");
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH, SIGRTMIN}) {
    program.send(signal);
    program.await_out("signal " + std::to_string(signal) + "\n");
  }
  program.send(SIGTERM);
  const Result result = program.finish();
  EXPECT_THAT(result.out, HasSubstr("signal 15\n"));
  EXPECT_EQ(result.code, 15) << "the command ended by itself, with its own code";
}

TEST(Signals, ReachTheWholeProcessGroup) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path(), "family"));
  const pid_t group = reported_pid(program.await_out("\n"), 2);
  program.send(SIGUSR1);
  program.await_out("signal 10\nsignal 10\n");
  ASSERT_EQ(::killpg(group, SIGKILL), 0);  // one of the family would outlive the other
  EXPECT_EQ(program.await_exit(), 128 + SIGKILL);
}

TEST(Signals, ThatKillTheCommandShowInTheExitCode) {
  const Scratch scratch;
  Program program({"run", scratch.path(), "--", "sh", "-c", "echo ready; exec cat"});
  program.await_out("ready");
  program.send(SIGINT);
  EXPECT_EQ(program.await_exit(), 128 + SIGINT);
}

TEST(Signals, IgnoredFromTheStartAreNotPassedOn) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path()), [] { ::signal(SIGHUP, SIG_IGN); });
  program.await_out("ready");
  program.send(SIGHUP);
  program.send(SIGUSR1);
  EXPECT_THAT(program.await_out("signal 10\n"), Not(HasSubstr("signal 1\n")));
}

class WhileWaiting : public testing::TestWithParam<int> {};

TEST_P(WhileWaiting, EndTheWaitAndLeaveNothingBehind) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  const auto before = scratch.entries();
  Program waiter({"run", "--write", scratch.path(), "--", "touch", scratch.path("ran")});
  waiter.await_err("waiting");
  ASSERT_NE(scratch.entries(), before) << "the waiter has claimed";
  waiter.send(GetParam());
  EXPECT_EQ(waiter.finish().code, 128 + GetParam());
  EXPECT_EQ(scratch.entries(), before);
}

INSTANTIATE_TEST_SUITE_P(Signals, WhileWaiting, testing::Values(SIGTERM, SIGINT, SIGHUP, SIGUSR1));

TEST(Signals, ThatEndNothingDoNotEndTheWait) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  Program waiter({"run", "--write", scratch.path(), "--", "echo", "ran"});
  waiter.await_err("waiting");
  waiter.send(SIGWINCH);
  waiter.send(SIGCONT);
  holder.send(SIGTERM);
  const Result result = waiter.finish();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "ran\n");
}

TEST(Signals, ThatStopTheCommandAloneKeepTheLease) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path()));
  const pid_t command = reported_pid(program.await_out("\n"));
  ASSERT_EQ(::kill(command, SIGSTOP), 0);
  EXPECT_EQ(run({"run", "--timeout", "0", scratch.path(), "--", "true"}).code, 124);
  program.send(SIGCONT);
  program.await_out("signal 18\n");
}

// The process that waits at its gate for the lease: the only child of `parent`.
pid_t child_of(pid_t parent) {
  const std::string task = "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent);
  pid_t child = 0;
  std::ifstream(task + "/children") >> child;
  return child;
}

TEST(CommandThatIsKilledBeforeItsStart, EndsTheWait) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  const auto before = scratch.entries();
  Program waiter({"run", "--write", scratch.path(), "--", "true"});
  waiter.await_err("waiting");
  const pid_t child = child_of(waiter.pid());
  ASSERT_GT(child, 1);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(waiter.finish().code, 128 + SIGKILL);
  EXPECT_EQ(scratch.entries(), before);
}

// Orphans come to us instead of to init, so that we know when they are gone.
class KilledRun : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }

  // Kills rwlease, and waits until its command has died of that.
  static void kill_and_await_command(Program& program) {
    const pid_t command = reported_pid(program.await_out("\n"));
    program.send(SIGKILL);
    EXPECT_EQ(program.await_exit(), 128 + SIGKILL);
    program.await_end_of_out();
    int status = 0;
    ASSERT_EQ(::waitpid(command, &status, 0), command);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
};

TEST_F(KilledRun, TakesTheCommandDown) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path(), "stubborn"));
  kill_and_await_command(program);
}

TEST_F(KilledRun, TakesTheWaitingCommandDown) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  Program waiter({"run", "--write", scratch.path(), "--", "touch", scratch.path("ran")});
  waiter.await_err("waiting");
  const pid_t child = child_of(waiter.pid());
  waiter.send(SIGKILL);
  EXPECT_EQ(waiter.await_exit(), 128 + SIGKILL);  // from then on the child is ours to wait for
  waiter.await_end_of_out();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("ran")));
}

TEST_F(KilledRun, OfALocalCommandLetsTheNextOneInAtOnce) {
  const Scratch scratch;
  Program program(with_subject({"--local"}, scratch.path()));
  kill_and_await_command(program);
  // The lease is 90 s, the timeout much less.
  EXPECT_EQ(run({"run", "--timeout", "20", scratch.path(), "--", "true"}).code, 0);
}

TEST_F(KilledRun, OfALocalCommandIsNoProofWhileARelativeLives) {
  const Scratch scratch;
  Program program(with_subject({"--local"}, scratch.path(), "family"));
  const pid_t leader = reported_pid(program.await_out("\n"));
  program.send(SIGKILL);
  program.await_exit();
  ASSERT_EQ(::waitpid(leader, nullptr, 0), leader);
  EXPECT_EQ(run({"run", "--timeout", "1", scratch.path(), "--", "true"}).code, 124);
  ASSERT_EQ(::killpg(leader, SIGKILL), 0);
  program.await_end_of_out();
  while (::waitpid(-leader, nullptr, 0) > 0) {
  }
  EXPECT_EQ(run({"run", "--timeout", "20", scratch.path(), "--", "true"}).code, 0);
}

TEST_F(KilledRun, OfAnyOtherCommandHasItsLeaseWaitedOut) {
  const Scratch scratch;
  Program program(with_subject({"--lease", "4"}, scratch.path()));
  kill_and_await_command(program);
  EXPECT_EQ(run({"run", "--lease", "4", "--timeout", "1", scratch.path(), "--", "true"}).code, 124);
  EXPECT_EQ(run({"run", "--lease", "4", "--timeout", "25", scratch.path(), "--", "true"}).code, 0);
}

}  // namespace
}  // namespace rwlease::test
