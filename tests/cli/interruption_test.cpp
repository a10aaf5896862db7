// Signals to the commands that make or take something, other than `run`: they tidy up first.
#include "arrival.hpp"
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

std::string id_of_first(const Scratch& scratch) {
  return json::parse(run({"status", "--json", scratch.path()}).out)["participants"][0]["id"];
}

class Interrupted : public testing::TestWithParam<int> {
 protected:
  const Scratch scratch_;
};

// False when the signal came too late, after the holder was removed.
bool breaks_nobody_when_interrupted(const Scratch& scratch, const std::string& mode, int signal) {
  Program victim(with_subject({mode, "--lease", "4"}, scratch.path()));
  victim.await_out("ready");
  const std::string place = scratch.path() + ".rwlease/" + (mode == "--read" ? "readers" : "writer");
  const auto before = listing(scratch.directory());
  const Arrival blocked(place);
  Program breaking({"break", "--force", "--id", id_of_first(scratch), scratch.path()});
  blocked.await();
  breaking.send(signal);
  const Result result = breaking.finish();
  EXPECT_EQ(result.code, 128 + signal);
  if (result.out.find("removed") != std::string::npos) return false;
  EXPECT_THAT(result.err, HasSubstr("was left alone"));
  EXPECT_EQ(listing(scratch.directory()), before);
  victim.send(SIGUSR1);
  EXPECT_THAT(victim.await_out("signal 10"), HasSubstr("signal 10")) << "it goes on";
  return true;
}

TEST_P(Interrupted, BreakLeavesAllAsItWas) {
  constexpr int tries = 10;
  for (const char* mode : {"--read", "--write"}) {
    bool in_time = false;
    for (int i = 0; i < tries && !in_time; ++i) {
      const Scratch scratch;
      in_time = breaks_nobody_when_interrupted(scratch, mode, GetParam());
    }
    EXPECT_TRUE(in_time);
  }
}

TEST_P(Interrupted, LockfileCreateGivesUpItsWait) {
  ASSERT_EQ(run({"lockfile", "create", scratch_.path()}).code, 0);
  const auto before = listing(scratch_.directory());
  const Arrival looked(scratch_.directory(), IN_OPEN);
  Program waiter({"lockfile", "create", "--retries", "-1", scratch_.path()});
  looked.await();
  waiter.send(GetParam());
  EXPECT_EQ(waiter.await_exit(), 128 + GetParam());
  EXPECT_EQ(listing(scratch_.directory()), before);
}

// Whenever the signal comes, the exit code tells whether there is a lock; and nothing else is.
TEST_P(Interrupted, LockfileCreateMakesItOrLeavesNothing) {
  for (const char* primitive : {"link", "mkdir", "excl"}) {
    const Arrival begun(scratch_.directory());
    Program program({"lockfile", "create", "--primitive", primitive, scratch_.path()});
    begun.await();
    program.send(GetParam());
    const int code = program.await_exit();
    if (code != 128 + GetParam()) {
      EXPECT_EQ(code, 0);
      EXPECT_EQ(run({"lockfile", "remove", "--primitive", primitive, scratch_.path()}).code, 0);
    }
    EXPECT_THAT(listing(scratch_.directory()), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, Interrupted, testing::Values(SIGTERM, SIGINT, SIGHUP, SIGUSR1));

class InterruptedProbe : public testing::TestWithParam<int> {};

TEST_P(InterruptedProbe, LeavesNothingBehind) {
  const Scratch scratch;
  const Arrival begun(scratch.directory());
  // So often that it is at work for long.
  std::vector<std::string> words{"probe"};
  words.insert(words.end(), 20, scratch.directory());
  Program program(words);
  begun.await();
  program.send(GetParam());
  EXPECT_EQ(program.await_exit(), 128 + GetParam());
  EXPECT_THAT(listing(scratch.directory()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Cli, InterruptedProbe, testing::Values(SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1));

TEST(SignalThatWasIgnoredFromTheStart, DoesNotEndAProbe) {
  const Scratch scratch;
  const Arrival begun(scratch.directory());
  Program program({"probe", scratch.directory()}, [] { ::signal(SIGHUP, SIG_IGN); });
  begun.await();
  program.send(SIGHUP);
  EXPECT_EQ(program.await_exit(), 0);
}

// A reader that went away: the write fails, and PIPE comes.
void let_nobody_read() {
  int ends[2];
  if (::pipe(ends) != 0 || ::dup2(ends[1], 1) != 1) ::_exit(98);
  ::close(ends[0]);
  ::close(ends[1]);
}

void fill_up_the_disk() {
  ::close(1);
  if (::open("/dev/full", O_WRONLY) != 1) ::_exit(98);
}

void break_without_stdout(void (*prepare)(), int code) {
  const Scratch scratch;
  Program victim(with_subject({"--interval", "0.3", "--lease", "2"}, scratch.path()));
  victim.await_out("ready");
  Program breaking({"break", "--force", "--id", id_of_first(scratch), scratch.path()}, prepare);
  EXPECT_EQ(breaking.await_exit(), code);
  EXPECT_EQ(victim.finish().code, 123);
  EXPECT_THAT(listing_without_fences(scratch.path() + ".rwlease"), testing::ElementsAre("readers"));
}

TEST(BreakWhoseOutputIsLost, LetsTheOthersInAllTheSame) {
  break_without_stdout(fill_up_the_disk, 125);
  break_without_stdout(let_nobody_read, 128 + SIGPIPE);
}

// These take and make nothing, so a signal may end them as it is.
TEST(LookingOn, MakesNothingThatASignalCouldLeaveBehind) {
  const Scratch scratch;
  Program holder(with_subject({}, scratch.path()));
  holder.await_out("ready");
  const auto before = listing(scratch.directory());
  Program waiting({"wait", scratch.path()});
  Program watching({"status", "--watch", "--interval", "0.1", scratch.path()});
  for (int look = 0; look < 3; ++look) watching.await_out("held by a writer");
  for (const Program* program : {&waiting, &watching}) program->send(SIGTERM);
  EXPECT_EQ(waiting.await_exit(), 128 + SIGTERM);
  EXPECT_EQ(watching.await_exit(), 128 + SIGTERM);
  EXPECT_EQ(listing(scratch.directory()), before);
}

}  // namespace
}  // namespace rwlease::test
