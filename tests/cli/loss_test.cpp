// A command whose lease is lost does not go on.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

namespace rwlease::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Heartbeats come often, so that the loss is found soon, and the lease is long, so that a busy machine causes none.
std::vector<std::string> watchful(const std::vector<std::string>& more = {}) {
  std::vector<std::string> options{"--interval", "0.3", "--lease", "60"};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

void remove_marker(const Scratch& scratch, const std::string& kind) {
  std::filesystem::remove(only_entry(scratch.path() + ".rwlease/" + kind));
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Loss, EndsTheCommand) {
  const Scratch scratch;
  Program program(with_subject(watchful(), scratch.path()));
  program.await_out("ready");
  remove_marker(scratch, "writer");
  const Result result = program.finish();
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.out, HasSubstr("signal 15\n"));
  EXPECT_THAT(result.err, AllOf(HasSubstr(scratch.path()), HasSubstr("lost"), HasSubstr("removed")));
}

TEST(Loss, EndsAReadersCommandToo) {
  const Scratch scratch;
  Program program(with_subject(watchful({"--read"}), scratch.path()));
  program.await_out("ready");
  remove_marker(scratch, "readers");
  EXPECT_EQ(program.finish().code, 123);
}

TEST(Loss, OfTheWholeLockDirectoryEndsTheCommand) {
  const Scratch scratch;
  Program program(with_subject(watchful(), scratch.path()));
  program.await_out("ready");
  std::filesystem::remove_all(scratch.path() + ".rwlease");
  EXPECT_EQ(program.finish().code, 123);
}

TEST(Loss, KillsACommandThatIgnoresTermAfterTheGracePeriod) {
  const Scratch scratch;
  Program program(with_subject(watchful({"--grace", "0.3"}), scratch.path(), "stubborn"));
  program.await_out("ready");
  remove_marker(scratch, "writer");
  EXPECT_EQ(program.await_exit(), 123);
  EXPECT_THAT(program.await_end_of_out(), HasSubstr("signal 15\n"));
}

TEST(Loss, KillsAtOnceWhenAskedTo) {
  const Scratch scratch;
  Program program(with_subject(watchful({"--on-loss=kill"}), scratch.path(), "family"));
  program.await_out("ready");
  remove_marker(scratch, "writer");
  EXPECT_EQ(program.await_exit(), 123);
  EXPECT_EQ(count_of("signal", program.await_end_of_out()), 0U) << "nothing that could be handled came";
}

TEST(Loss, IsOnlySaidWhenAskedTo) {
  const Scratch scratch;
  Program program(with_subject(watchful({"--on-loss", "warn"}), scratch.path()));
  program.await_out("ready");
  remove_marker(scratch, "writer");
  program.await_err("goes on");
  program.send(SIGUSR1);
  program.await_out("signal 10\n");
  program.send(SIGTERM);
  EXPECT_EQ(program.finish().code, 123) << "the exit code tells it all the same";
}

TEST(Loss, KillsWhatHasLeftTheProcessGroup) {
  const Scratch scratch;
  std::vector<std::string> words{"run"};
  for (const std::string& option : watchful({"--grace", "0.3"})) words.push_back(option);
  for (const char* word : {"--", "sh", "-c", "setsid sh -c 'trap \"\" TERM; echo away; sleep 1000; :' & wait"}) {
    if (words.back() == "0.3") words.push_back(scratch.path());
    words.emplace_back(word);
  }
  Program program(words);
  program.await_out("away");
  remove_marker(scratch, "writer");
  EXPECT_EQ(program.await_exit(), 123);
  program.await_end_of_out();
}

TEST(Loss, KillsWhatIsLeftOfTheProcessGroup) {
  const Scratch scratch;
  Program program(with_subject(watchful({"--grace", "0.3"}), scratch.path(), "family"));
  program.await_out("ready");
  remove_marker(scratch, "writer");
  EXPECT_EQ(program.await_exit(), 123);
  // One ended by itself; the stream ends when the other is gone too.
  EXPECT_EQ(count_of("signal 15\n", program.await_end_of_out()), 2U) << "both had the signal";
}

TEST(Loss, ContinuesAStoppedCommandSoThatItCanEnd) {
  const Scratch scratch;
  Program program(with_subject(watchful(), scratch.path()));
  ASSERT_EQ(::kill(reported_pid(program.await_out("\n")), SIGSTOP), 0);
  remove_marker(scratch, "writer");
  const Result result = program.finish();
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.out, HasSubstr("signal 15\n"));
}

TEST(Loss, WhileTheCommandEndsIsStillALoss) {
  const Scratch scratch;
  // The command itself removes the marker and succeeds, long before a heartbeat could find out.
  const Result result = run({"run", scratch.path(), "--", "sh", "-c", "rm " + scratch.path() + ".rwlease/writer/*"});
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.err, AllOf(HasSubstr("lost"), HasSubstr("removed")));
}

TEST(Loss, IsNoticedAfterAStop) {
  const Scratch scratch;
  Program program(with_subject({"--lease", "2"}, scratch.path()));
  program.await_out("ready");
  program.stop();
  // The successor gets in when the lease has passed; that is the event to wait for.
  ASSERT_EQ(run({"run", "--lease", "2", "--timeout", "25", scratch.path(), "--", "true"}).code, 0);
  program.send(SIGCONT);
  const Result result = program.finish();
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.out, HasSubstr("signal 15\n"));
}

}  // namespace
}  // namespace rwlease::test
