// Calls that make no sense, and help.
#include "program.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace rwlease::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct BadCall {
  std::vector<std::string> arguments;
  std::string complaint;
};

class Usage : public testing::TestWithParam<BadCall> {};

TEST_P(Usage, IsRefusedInOneLineThatPointsToTheHelp) {
  const Result result = run(GetParam().arguments);
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, AllOf(StartsWith("rwlease: "), HasSubstr(GetParam().complaint), HasSubstr("--help")));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

std::vector<std::string> run_with(std::vector<std::string> options) {
  options.insert(options.begin(), "run");
  options.insert(options.end(), {"/nowhere/x", "--", "true"});
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Cli, Usage,
    testing::Values(BadCall{{}, "which command"}, BadCall{{"walk"}, "'walk'"}, BadCall{{"run"}, "PATH is missing"},
                    BadCall{{"run", "x"}, "after '--'"}, BadCall{{"run", "x", "--"}, "no command"},
                    BadCall{{"run", "x", "y", "--", "true"}, "'y'"}, BadCall{{"run", "", "--", "true"}, "empty"},
                    BadCall{{"status"}, "PATH is missing"}, BadCall{{"status", "--xml", "x"}, "--xml"},
                    BadCall{run_with({"--colour"}), "--colour"}, BadCall{run_with({"--time", "1"}), "--time"},
                    BadCall{run_with({"--read", "--write"}), "exclude"},
                    BadCall{run_with({"--timeout", "-1"}), "cannot be negative"},
                    BadCall{run_with({"--timeout", "nan"}), "number of seconds"},
                    BadCall{run_with({"--timeout", "inf"}), "number of seconds"},
                    BadCall{run_with({"--timeout", "1e30"}), "number of seconds"},
                    BadCall{run_with({"--timeout", ""}), "number of seconds"},
                    BadCall{run_with({"--timeout", "99999999999999999999"}), "more than"},
                    BadCall{run_with({"--grace", "-0.5"}), "--grace cannot be negative"},
                    BadCall{run_with({"--interval", "20", "--lease", "30"}), "lease"},
                    BadCall{run_with({"--interval", "0"}), "interval"},
                    BadCall{run_with({"--lease", "999999"}), "lease"}, BadCall{run_with({"-E", "256"}), "0 to 255"},
                    BadCall{run_with({"-E", "x"}), "0 to 255"}, BadCall{run_with({"--label", "a\nb"}), "label"},
                    BadCall{run_with({"--label", std::string(129, 'x')}), "label"}));

TEST(Help, IsThereForAllAndEach) {
  const Result general = run({"--help"});
  EXPECT_EQ(general.code, 0);
  EXPECT_THAT(general.err, IsEmpty());
  EXPECT_THAT(general.out, AllOf(HasSubstr("run"), HasSubstr("status"), HasSubstr("--version")));

  const Result of_run = run({"run", "--help"});
  EXPECT_EQ(of_run.code, 0);
  for (const char* name : {"--read", "--write", "--timeout", "--interval", "--lease", "--label", "--grace", "-E",
                           "--local", "--no-renew", "--group", "(the default)", "RWLEASE_FENCE", "123", "127"}) {
    EXPECT_THAT(of_run.out, HasSubstr(name));
  }

  const Result of_status = run({"status", "--help"});
  EXPECT_EQ(of_status.code, 0);
  EXPECT_THAT(of_status.out, AllOf(HasSubstr("--json"), HasSubstr("PATH")));
}

TEST(Help, FitsATerminal) {
  for (const auto& arguments : {std::vector<std::string>{"--help"}, {"run", "--help"}, {"status", "--help"}}) {
    const std::string text = run(arguments).out;
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
      EXPECT_LE(text.find('\n', begin) - begin, 90U) << text.substr(begin, 100);
    }
  }
}

TEST(Version, IsANumber) {
  const Result result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("rwlease [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Output, ThatCannotBeWrittenIsAFailure) {
  Program program({"--help"}, [] {
    ::close(1);
    if (::open("/dev/full", O_WRONLY) != 1) ::_exit(98);
  });
  const Result result = program.finish();
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, HasSubstr("No space left"));
}

}  // namespace
}  // namespace rwlease::test
