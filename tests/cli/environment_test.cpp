// What the command finds.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sstream>

namespace rwlease::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Command, ReadsOurStdin) {
  const Scratch scratch;
  Program program({"run", scratch.path(), "--", "cat"});
  program.write_stdin("some words\n");
  const Result result = program.finish();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "some words\n");
  EXPECT_EQ(result.err, "");
}

TEST(Command, GetsItsWordsUnchanged) {
  const Scratch scratch;
  EXPECT_EQ(run({"run", scratch.path(), "--", "printf", "%s|", "a b", "", "--", "--help", "$x"}).out,
            "a b||--|--help|$x|");
}

TEST(Command, LeadsAProcessGroupOfItsOwn) {
  const Scratch scratch;
  Program program(with_subject({}, scratch.path()));
  const std::string out = program.await_out("\n");
  EXPECT_EQ(reported_pid(out, 1), reported_pid(out, 2));
  EXPECT_NE(reported_pid(out, 2), ::getpgrp());
}

TEST(Command, FindsTheLeaseInItsEnvironment) {
  const Scratch scratch;
  const std::vector<std::string> show{"sh", "-c", "echo $RWLEASE_PATH $RWLEASE_MODE $RWLEASE_FENCE $RWLEASE_ID"};
  const auto words_of = [&](const char* mode, pid_t& pid) {
    std::vector<std::string> arguments{"run", mode, "data", "--"};
    arguments.insert(arguments.end(), show.begin(), show.end());
    const std::string directory = scratch.directory().string();
    Program program(arguments, [&directory] {
      if (::chdir(directory.c_str()) != 0) ::_exit(98);
    });
    pid = program.pid();
    std::istringstream line(program.finish().out);
    std::vector<std::string> words(4);
    for (std::string& word : words) line >> word;
    return words;
  };
  pid_t pid = 0;
  const auto first = words_of("--write", pid);
  EXPECT_EQ(first[0], scratch.path());
  EXPECT_EQ(first[1], "write");
  EXPECT_GT(std::stoull(first[2]), 0U);
  utsname names{};
  ASSERT_EQ(::uname(&names), 0);
  const std::string host = std::string(names.nodename).substr(0, std::string(names.nodename).find('.'));
  EXPECT_THAT(first[3], testing::StartsWith(host));
  EXPECT_THAT(first[3], testing::EndsWith("." + std::to_string(pid)));

  const auto second = words_of("--write", pid);
  EXPECT_GT(std::stoull(second[2]), std::stoull(first[2])) << "fences grow";
  const auto reader = words_of("--read", pid);
  EXPECT_EQ(reader[1], "read");
  EXPECT_EQ(reader[2], "0");
}

TEST(Command, NeverSeesTheToken) {
  const Scratch scratch;
  const Result result = run({"run", scratch.path(), "--", "sh", "-c", "ls " + scratch.path() + ".rwlease/writer; env"});
  const std::string marker = result.out.substr(0, result.out.find('\n'));
  const std::string token = marker.substr(marker.rfind('.') + 1);
  ASSERT_EQ(token.size(), 32U) << marker;
  EXPECT_THAT(result.out.substr(marker.size()), Not(HasSubstr(token)));
}

TEST(Command, HasTheSignalsAsRwleaseFoundThem) {
  const Scratch scratch;
  const auto masks_under = [&](const std::vector<std::string>& arguments) {
    Program program(arguments, [] { ::signal(SIGUSR2, SIG_IGN); });
    return program.finish().out;
  };
  const std::string masks =
      masks_under({"run", scratch.path(), "--", "grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"});
  std::istringstream words(masks);
  std::string name;
  std::string blocked;
  std::string ignored;
  words >> name >> blocked >> name >> ignored;
  EXPECT_EQ(std::stoull(blocked, nullptr, 16), 0U) << masks;
  EXPECT_EQ(std::stoull(ignored, nullptr, 16), 1ULL << (SIGUSR2 - 1)) << masks;
}

TEST(Command, HasNoneOfOurDescriptors) {
  const Scratch scratch;
  Program program({"run", scratch.path(), "--", "ls", "/proc/self/fd"}, [] {
    for (int other = 3; other < 1024; ++other) ::close(other);  // what the test itself inherited
  });
  EXPECT_EQ(program.finish().out, "0\n1\n2\n3\n") << "ls itself opens the fourth one, to list with";
}

}  // namespace
}  // namespace rwlease::test
