// Calls that make no sense, and help.
#include "program.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

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
                    BadCall{{"run", "x", "", "--", "true"}, "empty"}, BadCall{{"run", "", "--", "true"}, "empty"},
                    BadCall{{"status"}, "PATH is missing"}, BadCall{{"status", "--xml", "x"}, "no option '--xml'"},
                    BadCall{{"status", "--interval", "1", "x"}, "--watch"},
                    BadCall{{"status", "--watch", "--interval", "0", "x"}, "0.1 seconds"},
                    BadCall{{"probe"}, "DIR is missing"}, BadCall{{"--walk"}, "no option '--walk'"},
                    BadCall{run_with({"--colour"}), "--colour"}, BadCall{run_with({"--time", "1"}), "--time"},
                    BadCall{{"break", "x"}, "whose lease?"},
                    BadCall{{"break", "--dead", "--id", "y", "x"}, "whose lease?"},
                    BadCall{{"break", "--all", "x"}, "needs --force"}, BadCall{{"break", "--dead"}, "PATH is missing"},
                    BadCall{{"fence"}, "PATH is missing"}, BadCall{{"fence", "x", "y"}, "'y'"},
                    BadCall{{"wait"}, "PATH is missing"}, BadCall{{"fence", "data.rwlease"}, "say 'data'"},
                    BadCall{{"status", "a/data.rwlease/"}, "say 'a/data'"},
                    BadCall{{"run", "data.rwlease", "--", "true"}, "lock directory"},
                    BadCall{{"lockfile", "create"}, "LOCKFILE is missing"},
                    BadCall{{"lockfile", "touch", "--force", "x"}, "--force goes with 'remove'"},
                    BadCall{{"--version", "extra"}, "'extra'"}, BadCall{{"trace", ""}, "LOG is empty"},
                    BadCall{run_with({"--fence-file", ""}), "name of a file"},
                    BadCall{run_with({"--lease", "0"}), "the lease (0 s)"},
                    BadCall{{"wait", "--generation", "-1", "x"}, "fencing number"},
                    BadCall{{"wait", "--generation", "1x", "x"}, "fencing number"},
                    BadCall{{"wait", "--timeout", "soon", "x"}, "number of seconds"},
                    BadCall{{"wait", "-E", "1000", "x"}, "0 to 255"},
                    BadCall{run_with({"--read", "--write"}), "goes before its PATHs"},
                    BadCall{run_with({"x", "--read", "y", "--write"}), "to read or to write 'x'"},
                    BadCall{run_with({"--on-loss", "panic"}), "term, kill or warn"},
                    BadCall{run_with(std::vector<std::string>(64, "x")), "at most 64"},
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
  for (const char* name :
       {"--read", "--write", "--timeout", "--interval", "--lease", "--label", "--grace", "-E", "--on-loss",
        "--fence-file", "--local", "--no-renew", "--group", "(the default)", "RWLEASE_FENCE", "123", "127"}) {
    EXPECT_THAT(of_run.out, HasSubstr(name));
  }

  const Result of_status = run({"status", "--help"});
  EXPECT_EQ(of_status.code, 0);
  EXPECT_THAT(of_status.out, AllOf(HasSubstr("--json"), HasSubstr("PATH")));
}

TEST(Help, FitsATerminal) {
  for (const auto& arguments : {std::vector<std::string>{"--help"},
                                {"run", "--help"},
                                {"status", "--help"},
                                {"probe", "--help"},
                                {"lockfile", "--help"},
                                {"break", "--help"},
                                {"fence", "--help"},
                                {"wait", "--help"}}) {
    const std::string text = run(arguments).out;
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
      EXPECT_LE(text.find('\n', begin) - begin, 90U) << text.substr(begin, 100);
    }
  }
}

TEST(Version, IsANumberAndHowItWasBuilt) {
  const Result result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out,
              testing::MatchesRegex("rwlease [0-9]+\\.[0-9]+\\.[0-9]+\n"
                                    "compiler: .+ [0-9.]+\nbuild type: .+\nMPI: (yes|no)\nsanitizer: .+\n"));
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string suggested;
};

class Suggestion : public testing::TestWithParam<Mistake> {};

TEST_P(Suggestion, NamesTheWordThatWasMeant) {
  const Result result = run(GetParam().arguments);
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, HasSubstr("did you mean '" + GetParam().suggested + "'?"));
}

INSTANTIATE_TEST_SUITE_P(Cli, Suggestion,
                         testing::Values(Mistake{{"statsu"}, "status"}, Mistake{{"stat"}, "status"},
                                         Mistake{{"prob"}, "probe"}, Mistake{{"--versoin"}, "--version"},
                                         Mistake{{"status", "--jsn", "x"}, "--json"},
                                         Mistake{{"run", "--time", "1", "x", "--", "true"}, "--timeout"},
                                         Mistake{{"run", "--laese", "9", "x", "--", "true"}, "--lease"}));

TEST(NoSuggestion, IsMadeForAWordThatIsNearToNone) {
  for (const auto& arguments : {std::vector<std::string>{"polish"}, {"status", "--xml", "x"}}) {
    EXPECT_THAT(run(arguments).err, testing::Not(HasSubstr("did you mean")));
  }
}

TEST(Errors, SayWhatToDoWhereThatIsKnown) {
  const Scratch scratch;
  std::filesystem::create_directory_symlink("/tmp", scratch.path() + ".rwlease");
  const Result result = run({"status", scratch.path()});
  EXPECT_EQ(result.code, 125);
  EXPECT_THAT(result.err, AllOf(HasSubstr("opening lock directory"), HasSubstr(scratch.path() + ".rwlease"),
                                HasSubstr("symlink"), HasSubstr("use another name")));
}

TEST(Errors, OfRunSayWhatToDoToo) {
  const Scratch scratch;
  std::ofstream(scratch.path() + ".rwlease") << "x";
  EXPECT_THAT(run({"run", scratch.path(), "--", "true"}).err, HasSubstr("remove it or use another name"));
}

TEST(LockfileRemove, LeavesADirectoryAloneThatMayBeNoLock) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path());
  const Result refused = run({"lockfile", "remove", "--force", scratch.path()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--primitive mkdir"));
  EXPECT_TRUE(std::filesystem::is_directory(scratch.path()));
  EXPECT_EQ(run({"lockfile", "remove", "--force", "--primitive", "mkdir", scratch.path()}).code, 0);
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
