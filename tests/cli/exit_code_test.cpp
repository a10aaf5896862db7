// What `rwlease run` exits with.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

#include <fstream>

namespace rwlease::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ExitCode, IsTheCommandsOwn) {
  const Scratch scratch;
  EXPECT_EQ(run({"run", scratch.path(), "--", "true"}).code, 0);
  EXPECT_EQ(run({"run", scratch.path(), "--", "sh", "-c", "exit 7"}).code, 7);
  EXPECT_EQ(run({"run", "--read", scratch.path(), "--", "sh", "-c", "exit 8"}).code, 8);
}

TEST(ExitCode, OfTheCommandMayBeOneThatRwleaseUsesToo) {
  const Scratch scratch;
  const Result result = run({"run", scratch.path(), "--", "sh", "-c", "exit 127"});
  EXPECT_EQ(result.code, 127);
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(ExitCode, Is128PlusTheSignalThatKilledTheCommand) {
  const Scratch scratch;
  EXPECT_EQ(run({"run", scratch.path(), "--", "sh", "-c", "kill -KILL $$"}).code, 128 + SIGKILL);
  EXPECT_EQ(run({"run", scratch.path(), "--", "sh", "-c", "kill -USR1 $$"}).code, 128 + SIGUSR1);
}

TEST(ExitCode, Is127WhenThereIsNoSuchCommand) {
  const Scratch scratch;
  const Result result = run({"run", scratch.path(), "--", "no-such-command-anywhere"});
  EXPECT_EQ(result.code, 127);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no-such-command-anywhere"), HasSubstr("No such file")));
}

TEST(ExitCode, Is126WhenTheCommandCannotBeExecuted) {
  const Scratch scratch;
  std::ofstream(scratch.path("plain.txt")) << "text\n";
  const Result result = run({"run", scratch.path(), "--", scratch.path("plain.txt")});
  EXPECT_EQ(result.code, 126);
  EXPECT_THAT(result.err, AllOf(HasSubstr("plain.txt"), HasSubstr("Permission denied")));
}

TEST(ExitCode, Is124WhenTheTimeoutPasses) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  const auto before = listing(scratch.directory());
  const Result result = run({"run", "--write", "--timeout", "0.2", scratch.path(), "--", "touch", scratch.path("ran")});
  EXPECT_EQ(result.code, 124);
  EXPECT_THAT(result.err, HasSubstr(scratch.path()));
  EXPECT_EQ(listing(scratch.directory()), before) << "the command ran, or something was left behind";
}

TEST(ExitCode, ForTheTimeoutCanBeChosen) {
  const Scratch scratch;
  Program holder(with_subject({"--write"}, scratch.path()));
  holder.await_out("ready");
  EXPECT_EQ(run({"run", "--read", "--timeout", "0", "-E", "9", scratch.path(), "--", "true"}).code, 9);
  EXPECT_EQ(run({"run", "--read", "--timeout", "0", "-E0", scratch.path(), "--", "false"}).code, 0);
}

TEST(ExitCode, Is125WhenRwleaseFails) {
  const Scratch scratch;
  const Result result = run({"run", scratch.path("nowhere/data"), "--", "touch", scratch.path("ran")});
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, AllOf(HasSubstr("nowhere/data"), HasSubstr("No such file"), HasSubstr("must exist")));
  EXPECT_THAT(listing(scratch.directory()), IsEmpty());
}

TEST(ExitCode, LeavesTheLockFree) {
  const Scratch scratch;
  for (const char* command : {"true", "false", "no-such-command-anywhere"}) {
    run({"run", scratch.path(), "--", command});
    EXPECT_EQ(run({"run", "--timeout", "0", scratch.path(), "--", "true"}).code, 0) << "after " << command;
  }
}

}  // namespace
}  // namespace rwlease::test
