// Several locks under one command.
#include "lock_order.hpp"
#include "program.hpp"

#include <rwlease/error.hpp>

#include <gmock/gmock.h>

#include <signal.h>

#include <array>
#include <fstream>
#include <sstream>

namespace rwlease::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Several : public testing::Test {
 protected:
  Several() {
    for (const char* directory : {"one", "two", "one/deep"}) std::filesystem::create_directory(scratch_ / directory);
  }

  std::vector<std::string> line_of(const std::string& text) const {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  Result try_write(const std::string& name) const {
    return run({"run", "--timeout", "0", scratch_.path(name), "--", "true"});
  }

  const Scratch scratch_;
};

TEST_F(Several, AreAllHeldInTheModesGiven) {
  Program program({"run", "--read", scratch_.path("a"), scratch_.path("b"), "--write", scratch_.path("c"), "--",
                   RWLEASE_CLI_SUBJECT_PROGRAM});
  program.await_out("ready");
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(try_write(name).code, 124) << name;
  const auto read = [&](const char* name) {
    return run({"run", "--read", "--timeout", "0", scratch_.path(name), "--", "true"}).code;
  };
  EXPECT_EQ(read("a"), 0);
  EXPECT_EQ(read("b"), 0);
  EXPECT_EQ(read("c"), 124);
  program.send(SIGTERM);
  EXPECT_EQ(program.finish().code, 15);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(try_write(name).code, 0) << name;
}

TEST_F(Several, AreTakenAllOrNone) {
  Program holder(with_subject({"--read"}, scratch_.path("b")));
  holder.await_out("ready");
  const Result result = run({"run", "--timeout", "0.2", "-E", "9", scratch_.path("a"), scratch_.path("b"), "--",
                             "touch", scratch_.path("ran")});
  EXPECT_EQ(result.code, 9);
  EXPECT_EQ(try_write("a").code, 0) << "it was given back";
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("ran")));
}

TEST_F(Several, NamedInOtherOrdersDoNotDeadlock) {
  // Each of the two goes on only while it holds both; a deadlock would last for ever.
  const auto words = [this](const char* first, const char* second) {
    return std::vector<std::string>{"run", scratch_.path(first), scratch_.path(second), "--", "true"};
  };
  for (int round = 0; round < 10; ++round) {
    Program one(words("x", "y"));
    Program other(words("y", "x"));
    EXPECT_EQ(one.finish().code, 0);
    EXPECT_EQ(other.finish().code, 0);
  }
}

TEST_F(Several, AreToldInTheOrderTheyWereNamed) {
  const std::string file = scratch_.path("fences");
  const Result result =
      run({"run", "--fence-file", file, "--write", scratch_.path("z"), "--read", scratch_.path("a"), "--", "sh", "-c",
           "echo \"$RWLEASE_PATH\"; echo \"$RWLEASE_MODE\"; echo \"$RWLEASE_FENCE\"; cat " + file});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = line_of(result.out);
  ASSERT_THAT(lines, SizeIs(8));
  EXPECT_EQ(lines[0], scratch_.path("z"));
  EXPECT_EQ(lines[1], scratch_.path("a"));
  EXPECT_EQ(lines[2], "write");
  EXPECT_EQ(lines[3], "read");
  EXPECT_GT(std::stoull(lines[4]), 0U);
  EXPECT_EQ(lines[5], "0");
  EXPECT_EQ(lines[6], lines[4]);
  EXPECT_EQ(lines[7], lines[5]);
}

TEST_F(Several, NamedTwiceAreOne) {
  std::filesystem::create_directory_symlink(scratch_ / "one", scratch_ / "link");
  EXPECT_EQ(run({"run", scratch_.path("one/x"), scratch_.path("link/x"), "--", "true"}).code, 0);
  const Result both = run({"run", "--read", scratch_.path("one/x"), "--write", scratch_.path("link/x"), "--", "true"});
  EXPECT_EQ(both.code, 125);
  EXPECT_THAT(both.err, HasSubstr("twice"));
}

TEST_F(Several, LossOfOneWhileAnotherIsWaitedForEndsTheWait) {
  Program holder(with_subject({"--read"}, scratch_.path("b")));
  holder.await_out("ready");
  Program waiter({"run", "--interval", "0.3", "--lease", "60", scratch_.path("a"), scratch_.path("b"), "--", "true"});
  waiter.await_err("waiting");
  std::filesystem::remove(only_entry(scratch_.path("a") + ".rwlease/writer"));
  const Result result = waiter.finish();
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.err, HasSubstr("lost"));
}

TEST_F(Several, LossOfOneEndsTheCommandAndNamesIt) {
  Program program({"run", "--interval", "0.3", "--lease", "60", scratch_.path("a"), scratch_.path("b"), "--",
                   RWLEASE_CLI_SUBJECT_PROGRAM});
  program.await_out("ready");
  std::filesystem::remove(only_entry(scratch_.path("b") + ".rwlease/writer"));
  const Result result = program.finish();
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.err, HasSubstr(scratch_.path("b") + " was lost"));
}

TEST_F(Several, OrderGoesByTheEndOfThePath) {
  std::filesystem::create_directory_symlink(scratch_ / "two", scratch_ / "zzz");
  using cli::fixed_order;
  EXPECT_THAT(fixed_order({{scratch_ / "one/b", Mode::write}, {scratch_ / "two/a", Mode::write}}), ElementsAre(1, 0));
  EXPECT_THAT(fixed_order({{scratch_ / "zzz/a", Mode::write}, {scratch_ / "one/a", Mode::write}}), ElementsAre(1, 0));
  EXPECT_THAT(fixed_order({{"/mount1/x/a", Mode::read}, {"/mount1/w/a", Mode::write}, {"/mount2/y/a", Mode::write}}),
              ElementsAre(1, 0, 2));
  EXPECT_THROW(fixed_order({{scratch_ / "zzz/a", Mode::write}, {scratch_ / "two/a", Mode::read}}), UsageError);
}

TEST(FenceFile, HoldsTheNumberBeforeTheCommandStartsAndStays) {
  const Scratch scratch;
  const std::string file = scratch.path("fence");
  std::ofstream(file) << "something older and longer than any number that may come\n";
  const Result result =
      run({"run", "--fence-file", file, scratch.path(), "--", "sh", "-c", "echo $RWLEASE_FENCE; cat " + file});
  EXPECT_EQ(result.code, 0);
  std::string content;
  std::getline(std::ifstream(file), content);
  EXPECT_EQ(result.out, content + "\n" + content + "\n");
}

TEST(FenceFile, ThatCannotBeWrittenKeepsTheCommandFromStarting) {
  const Scratch scratch;
  const Result result =
      run({"run", "--fence-file", scratch.path("missing/fence"), scratch.path(), "--", "echo", "ran"});
  EXPECT_EQ(result.code, 125);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("missing/fence: No such file"));
  EXPECT_EQ(run({"run", "--timeout", "0", scratch.path(), "--", "true"}).code, 0) << "the lease was given back";
}

}  // namespace
}  // namespace rwlease::test
