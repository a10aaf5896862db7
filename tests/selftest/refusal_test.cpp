// Directories that cannot be tested, wrong calls, and ends before the end.
#include "job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

namespace rwlease::selftest::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Refusal : public ::testing::Test {
 protected:
  static std::size_t times_said(const std::string& text) {
    std::size_t times = 0;
    for (std::size_t at = text.find("rwlease-selftest: "); at != std::string::npos;
         at = text.find("rwlease-selftest: ", at + 1)) {
      ++times;
    }
    return times;
  }

  void expect_usage(int ranks, const Words& arguments, const std::string& sentence) const {
    const Outcome outcome = run(scratch_, mpiexec(ranks, arguments));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(sentence));
    EXPECT_EQ(times_said(outcome.err), 1U) << "one message for all ranks: " << outcome.err;
    EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("CERTIFIED")));
    EXPECT_TRUE(scratch_.tested_is_empty());
  }

  Scratch scratch_;
};

TEST_F(Refusal, MissingDirectory) {
  expect_usage(4, {scratch_.path("nowhere")}, "making a directory in " + scratch_.path("nowhere") + ": No such file");
}

// Where even the superuser may not make a directory.
TEST_F(Refusal, DirectoryThatCannotBeWritten) { expect_usage(2, {"/proc"}, "making a directory in /proc: "); }

TEST_F(Refusal, FileInsteadOfADirectory) { expect_usage(2, {scratch_.path("out")}, "Not a directory"); }

TEST_F(Refusal, OneRank) { expect_usage(1, {scratch_.tested()}, "at least two ranks"); }

TEST_F(Refusal, WrongWords) { expect_usage(3, {"--minutes", "soon", scratch_.tested()}, "--minutes takes a number"); }

TEST_F(Refusal, ReportThatCannotBeWritten) {
  expect_usage(2, {scratch_.tested(), "--json", scratch_.path("nowhere/report")}, "nowhere/report: No such file");
}

// Ranks that see different directories under what they were told: as on nodes that do not share it.
TEST_F(Refusal, DirectoryThatIsNotShared) {
  std::filesystem::create_directory(scratch_.path("other"));
  Words words = mpiexec(2, {scratch_.tested()});
  const Words others{":", "-n", "2", RWLEASE_SELFTEST_PROGRAM, scratch_.path("other")};
  words.insert(words.end(), others.begin(), others.end());
  const Outcome outcome = run(scratch_, words);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, StartsWith("REFUSED: " + scratch_.tested() + ": the directory is not shared"));
  EXPECT_THAT(outcome.out, HasSubstr("rank 2 on "));
  EXPECT_TRUE(scratch_.tested_is_empty());
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path("other")));
}

class Signal : public Refusal, public ::testing::WithParamInterface<int> {};

TEST_P(Signal, RemovesWhatIsThere) {
  Job job(scratch_, mpiexec(4, {"--minutes", "1", scratch_.tested()}));
  ASSERT_TRUE(job.await_err("freshness: ")) << job.finish().err;
  EXPECT_FALSE(scratch_.tested_is_empty());
  job.send(GetParam());
  const Outcome outcome = job.finish();
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("CERTIFIED")));
  EXPECT_TRUE(scratch_.tested_is_empty()) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(ToMpiexec, Signal, ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& signal) { return "Number" + std::to_string(signal.param); });

}  // namespace
}  // namespace rwlease::selftest::test
