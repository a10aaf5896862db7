// `rwlease status` looking again and again: on a pipe and on a terminal.
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> watching(const Scratch& scratch, const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"status", "--watch", "--interval", "0.1"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(scratch.path());
  return words;
}

// rwlease on a terminal of its own, killed at the end.
class Watched {
 public:
  explicit Watched(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{RWLEASE_CLI_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const winsize size{10, 60, 0, 0};
    pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::execv(pointers[0], pointers.data());
      ::_exit(99);
    }
  }
  ~Watched() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(master_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  // All that was shown, once `text` has come after what an earlier call found.
  std::string await(const std::string& text) {
    while (screen_.find(text, seen_) == std::string::npos) {
      pollfd source{master_, POLLIN, 0};
      if (::poll(&source, 1, static_cast<int>(std::chrono::milliseconds(soon).count())) <= 0) {
        throw std::runtime_error("nothing came; the screen: " + screen_);
      }
      std::array<char, 1024> buffer;
      const ssize_t got = ::read(master_, buffer.data(), buffer.size());
      if (got <= 0) throw std::runtime_error("the terminal is gone; the screen: " + screen_);
      screen_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    seen_ = screen_.find(text, seen_) + text.size();
    return screen_;
  }

 private:
  pid_t pid_ = -1;
  int master_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
};

TEST(Watch, ShowsOnAPipeWhatChanges) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  Program watch(watching(scratch));
  watch.await_out("held by 1 reader");
  holder.send(SIGTERM);
  holder.finish();
  EXPECT_THAT(watch.await_out(": free"), Not(HasSubstr("\x1b")));
  watch.send(SIGTERM);
  EXPECT_EQ(watch.await_exit(), 128 + SIGTERM);
}

TEST(Watch, WritesOneLineOfJsonForEachLook) {
  const Scratch scratch;
  Program watch(watching(scratch, {"--json"}));
  watch.await_out("\n");
  std::istringstream lines(watch.await_out("}\n{"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(json::parse(line)["state"], "free");
}

TEST(Watch, EndsWhenNobodyReadsItAnyMore) {
  const Scratch scratch;
  const std::string line = "exec 4>&1; { " + std::string(RWLEASE_CLI_PROGRAM) + " status --watch --interval 3600 " +
                           scratch.path() + "; echo code $? >&4; } | head -n 1";
  FILE* const shell = ::popen(line.c_str(), "r");
  ASSERT_NE(shell, nullptr);
  std::string out;
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), shell) != nullptr) out += buffer.data();
  ::pclose(shell);
  EXPECT_THAT(out, AllOf(HasSubstr("free"), HasSubstr("code 0")));
}

TEST(Watch, RefreshesATerminalInPlace) {
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  Watched watch(watching(scratch));
  watch.await("held by 1 reader");
  const std::string screen = watch.await("\x1b[H");
  EXPECT_THAT(screen, AllOf(HasSubstr("\x1b[1m"), HasSubstr("\x1b[J")));
  holder.send(SIGTERM);
  watch.await("free");
}

TEST(Watch, HasNoColoursWhereNoColorIsSet) {
  ::setenv("NO_COLOR", "1", 1);
  ::setenv("TERM", "xterm", 1);
  const Scratch scratch;
  Watched watch(watching(scratch));
  EXPECT_THAT(watch.await("free"), Not(HasSubstr("\x1b[1m")));
  ::unsetenv("NO_COLOR");
}

TEST(Watch, GoesOnWhereALookFails) {
  const Scratch scratch;
  std::filesystem::create_directory_symlink("/tmp", scratch.path() + ".rwlease");
  Program watch(watching(scratch));
  watch.await_out("symlink");
  std::filesystem::remove(scratch.path() + ".rwlease");
  EXPECT_THAT(watch.await_out("free"), HasSubstr("cannot look:"));
}

}  // namespace
}  // namespace rwlease::test
