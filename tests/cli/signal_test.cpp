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
  const auto before = listing(scratch.directory());
  Program waiter({"run", "--write", scratch.path(), "--", "touch", scratch.path("ran")});
  waiter.await_err("waiting");
  ASSERT_NE(listing(scratch.directory()), before) << "the waiter has claimed";
  waiter.send(GetParam());
  EXPECT_EQ(waiter.finish().code, 128 + GetParam());
  EXPECT_EQ(listing(scratch.directory()), before);
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

// The only child of `parent`.
pid_t child_of(pid_t parent) {
  const std::string task = "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent);
  pid_t child = 0;
  std::ifstream(task + "/children") >> child;
  return child;
}

pid_t guard_of(const Program& program) { return child_of(program.pid()); }

// The process that waits at its gate for the lease.
pid_t command_of(const Program& program) { return child_of(guard_of(program)); }

TEST(CommandThatIsKilledBeforeItsStart, EndsTheWait) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  const auto before = listing(scratch.directory());
  Program waiter({"run", "--write", scratch.path(), "--", "true"});
  waiter.await_err("waiting");
  const pid_t child = command_of(waiter);
  ASSERT_GT(child, 1);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(waiter.finish().code, 128 + SIGKILL);
  EXPECT_EQ(listing(scratch.directory()), before);
}

// What `kill -9` of rwlease leaves behind: nothing. The end of the output is the end of all who had it open.
class KilledRun : public testing::Test {
 protected:
  static void kill_and_await_all(Program& program) {
    program.send(SIGKILL);
    EXPECT_EQ(program.await_exit(), 128 + SIGKILL);
    program.await_end_of_out();
  }

  const Scratch scratch_;
};

TEST_F(KilledRun, TakesTheCommandDown) {
  Program program(with_subject({}, scratch_.path(), "stubborn"));
  program.await_out("ready");
  kill_and_await_all(program);
}

TEST_F(KilledRun, TakesTheWholeFamilyDown) {
  Program program(with_subject({}, scratch_.path(), "family"));
  program.await_out("ready");
  kill_and_await_all(program);
}

TEST_F(KilledRun, TakesDownWhatHasLeftItsGroupAndSessionAndParent) {
  Program program({"run", scratch_.path(), "--", "sh", "-c",
                   "(trap '' TERM HUP; setsid sh -c 'echo away; sleep 1000; :' &) ; sleep 1000; :"});
  program.await_out("away");
  kill_and_await_all(program);
}

TEST_F(KilledRun, TakesAStoppedCommandDown) {
  Program program(with_subject({}, scratch_.path()));
  const pid_t command = reported_pid(program.await_out("\n"));
  ASSERT_EQ(::kill(command, SIGSTOP), 0);
  kill_and_await_all(program);
}

TEST_F(KilledRun, TakesTheWaitingCommandDown) {
  Program holder(with_subject({"--read"}, scratch_.path()));
  holder.await_out("ready");
  Program waiter({"run", "--write", scratch_.path(), "--", "touch", scratch_.path("ran")});
  waiter.await_err("waiting");
  kill_and_await_all(waiter);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("ran")));
}

TEST_F(KilledRun, OfALocalCommandLetsTheNextOneInAtOnce) {
  Program program(with_subject({"--local"}, scratch_.path(), "family"));
  program.await_out("ready");
  kill_and_await_all(program);
  // The lease is 90 s, the timeout much less.
  EXPECT_EQ(run({"run", "--timeout", "20", scratch_.path(), "--", "true"}).code, 0);
}

TEST(KilledGuard, TakesTheCommandAndItsFamilyDownAndGivesTheLeaseBack) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path(), "family"));
  program.await_out("ready");
  ASSERT_EQ(::kill(guard_of(program), SIGKILL), 0);
  EXPECT_EQ(program.await_exit(), 128 + SIGKILL);
  program.await_end_of_out();
  program.await_err("guard");
  EXPECT_EQ(run({"run", "--timeout", "0", scratch.path(), "--", "true"}).code, 0);
}

TEST(LeftRunning, KeepsTheLeaseUntilItEnds) {
  const Scratch scratch;
  Program program(
      {"run", "--grace", "600", scratch.path(), "--", "sh", "-c", "exec 3<&0; cat <&3 & echo begun; exit 7"});
  program.await_out("begun");
  EXPECT_EQ(run({"run", "--timeout", "0", scratch.path(), "--", "true"}).code, 124);
  program.write_stdin("still here\n");
  program.await_out("still here");
  const Result result = program.finish();
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.err, "");
}

TEST(LeftRunning, IsEndedAfterTheGracePeriodWhereverItIs) {
  const Scratch scratch;
  Program program({"run", "--grace", "0.3", scratch.path(), "--", "sh", "-c",
                   "setsid sh -c 'trap \"\" TERM; echo deaf; sleep 1000; :' & setsid sleep 1000 & read line"});
  program.await_out("deaf");
  program.write_stdin("go\n");
  EXPECT_EQ(program.await_exit(), 0);
  program.await_end_of_out();
  program.await_err("left running keeps the lease");
  EXPECT_EQ(run({"run", "--timeout", "0", scratch.path(), "--", "true"}).code, 0);
}

TEST(LeftRunning, GetsTheSignalsThatCome) {
  const Scratch scratch;
  Program program({"run", "--grace", "600", scratch.path(), "--", "sh", "-c",
                   "setsid " RWLEASE_CLI_SUBJECT_PROGRAM " plain & read line"});
  program.await_out("ready");
  program.write_stdin("go\n");
  // Until the shell has ended its relative in another session is none of the group.
  for (bool told = false; !told;) {
    program.send(SIGWINCH);  // which does not end the shell
    told = program.poll_out().find("signal 28") != std::string::npos;
  }
  program.send(SIGTERM);
  EXPECT_EQ(program.await_exit(), 0);
}

// The one way left to get away. Orphans come to the test then, so that it can reap them.
TEST_F(KilledRun, TogetherWithItsGuardIsNoProofWhileARelativeLives) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  Program program(with_subject({"--local"}, scratch_.path(), "family"));
  const pid_t leader = reported_pid(program.await_out("\n"));
  const pid_t guard = guard_of(program);
  // One after the other: only a guard that is dead has handed its orphans on, and only a stopped `run` leaves them be.
  program.stop();
  kill_hard(guard);
  program.send(SIGKILL);
  program.await_exit();
  ASSERT_EQ(::waitpid(leader, nullptr, 0), leader) << "the kernel kills the command itself";
  EXPECT_EQ(run({"run", "--timeout", "1", scratch_.path(), "--", "true"}).code, 124);
  ASSERT_EQ(::killpg(leader, SIGKILL), 0);
  program.await_end_of_out();
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  EXPECT_EQ(run({"run", "--timeout", "20", scratch_.path(), "--", "true"}).code, 0);
}

TEST_F(KilledRun, OfAnyOtherCommandHasItsLeaseWaitedOut) {
  Program program(with_subject({"--lease", "4"}, scratch_.path()));
  program.await_out("ready");
  kill_and_await_all(program);
  EXPECT_EQ(run({"run", "--lease", "4", "--timeout", "1", scratch_.path(), "--", "true"}).code, 124);
  EXPECT_EQ(run({"run", "--lease", "4", "--timeout", "25", scratch_.path(), "--", "true"}).code, 0);
}

}  // namespace
}  // namespace rwlease::test
