// Job control: the test plays the shell, on a terminal of its own.
#include "program.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace rwlease::test {
namespace {

// What the shell reports about its job, one letter each over a pipe.
constexpr char job_stopped = 'S';
constexpr char job_ended = 'E';

// The shell's side: a session leader with the terminal as stdin, stdout and stderr. Starts the job in the foreground,
// continues it in the foreground whenever it stops and the test says so, and tells whether it got the terminal back.
class Shell {
 public:
  Shell(int orders, int reports) : orders_(orders), reports_(reports) {}

  [[noreturn]] void serve(const std::vector<std::string>& words) {
    ::signal(SIGTTOU, SIG_IGN);
    start(words);
    int status = 0;
    while (::waitpid(job_, &status, WUNTRACED) == job_ && WIFSTOPPED(status)) {
      report(job_stopped);
      take_terminal();
      await_order();
      ::tcsetpgrp(STDIN_FILENO, job_);
      ::killpg(job_, SIGCONT);
    }
    const bool had_it_back = ::tcgetpgrp(STDIN_FILENO) == job_;
    report(job_ended);
    report(static_cast<char>(WIFEXITED(status) ? WEXITSTATUS(status) : 0));
    report(had_it_back ? 'y' : 'n');
    ::_exit(0);
  }

 private:
  void start(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    job_ = ::fork();
    if (job_ == 0) {
      ::setpgid(0, 0);
      ::tcsetpgrp(STDIN_FILENO, ::getpid());
      ::signal(SIGTTOU, SIG_DFL);
      ::execv(pointers[0], pointers.data());
      ::_exit(99);
    }
    ::setpgid(job_, job_);
  }

  void take_terminal() { ::tcsetpgrp(STDIN_FILENO, ::getpgrp()); }

  void await_order() {
    char order = 0;
    if (::read(orders_, &order, 1) != 1) ::_exit(98);
  }

  void report(char letter) {
    if (::write(reports_, &letter, 1) != 1) ::_exit(97);
  }

  int orders_;
  int reports_;
  pid_t job_ = -1;
};

// The test's side: types on the terminal and reads what it shows.
class Session {
 public:
  explicit Session(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{RWLEASE_CLI_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    std::array<int, 2> orders{};
    std::array<int, 2> reports{};
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0 || ::pipe2(orders.data(), O_CLOEXEC) != 0 ||
        ::pipe2(reports.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no terminal or pipe to be had");
    }
    keep_output_on_signals();
    shell_ = ::fork();
    if (shell_ == 0) {
      sit_at(::ptsname(master_));
      Shell(orders[0], reports[1]).serve(words);
    }
    ::close(orders[0]);
    ::close(reports[1]);
    orders_ = orders[1];
    reports_ = reports[0];
  }

  ~Session() {
    ::close(master_);  // hangs up: the job ends
    ::close(orders_);
    ::close(reports_);
    ::waitpid(shell_, nullptr, 0);
  }

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void type(const std::string& keys) {
    if (::write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
      throw std::runtime_error("typing failed");
    }
  }

  // Reads until the screen has had the text; the first time after what the last call found.
  void await_screen(const std::string& text) {
    while (screen_.find(text, seen_) == std::string::npos) {
      std::array<char, 1024> buffer;
      const ssize_t got = read_soon(master_, buffer.data(), buffer.size());
      screen_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    seen_ = screen_.find(text, seen_) + text.size();
  }

  // Types again and again until the screen has had the text.
  void type_until(const std::string& keys, const std::string& text) {
    while (screen_.find(text, seen_) == std::string::npos) {
      type(keys);
      pollfd source{master_, POLLIN, 0};
      if (::poll(&source, 1, 100) <= 0) continue;
      std::array<char, 1024> buffer;
      const ssize_t got = read_soon(master_, buffer.data(), buffer.size());
      screen_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  char await_report() {
    char letter = 0;
    read_soon(reports_, &letter, 1);
    return letter;
  }

  void continue_job() {
    if (::write(orders_, "c", 1) != 1) throw std::runtime_error("the shell is gone");
  }

 private:
  // Else a key that sends a signal throws away what was printed and not yet read.
  void keep_output_on_signals() const {
    termios settings{};
    if (::tcgetattr(master_, &settings) != 0) throw std::runtime_error("the terminal has no settings");
    settings.c_lflag |= NOFLSH;
    if (::tcsetattr(master_, TCSANOW, &settings) != 0) throw std::runtime_error("the terminal cannot be set");
  }

  static void sit_at(const char* terminal) {
    ::setsid();
    const int device = ::open(terminal, O_RDWR);  // becomes the controlling terminal
    for (int target = 0; target < 3; ++target) ::dup2(device, target);
    if (device > 2) ::close(device);
  }

  ssize_t read_soon(int descriptor, char* buffer, std::size_t size) {
    pollfd source{descriptor, POLLIN, 0};
    if (::poll(&source, 1, static_cast<int>(std::chrono::milliseconds(soon).count())) <= 0) {
      throw std::runtime_error("nothing came; the screen: " + screen_);
    }
    const ssize_t got = ::read(descriptor, buffer, size);
    if (got <= 0) throw std::runtime_error("the terminal is gone; the screen: " + screen_);
    return got;
  }

  pid_t shell_ = -1;
  int master_ = -1;
  int orders_ = -1;
  int reports_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
};

TEST(Terminal, IsLentToTheCommandAndGivenBack) {
  const Scratch scratch;
  Session session({"run", scratch.path(), "--", "sh", "-c", "echo begun; read word; echo got-$word"});
  session.await_screen("begun");
  session.type("hello\n");
  session.await_screen("got-hello");
  EXPECT_EQ(session.await_report(), job_ended);
  EXPECT_EQ(session.await_report(), 0);
  EXPECT_EQ(session.await_report(), 'y') << "our group is in the foreground again";
}

TEST(Terminal, InterruptsTheCommand) {
  const Scratch scratch;
  Session session({"run", scratch.path(), "--", "sh", "-c", "echo begun; exec cat"});
  session.await_screen("begun");
  session.type("\x03");
  EXPECT_EQ(session.await_report(), job_ended);
  EXPECT_EQ(session.await_report(), static_cast<char>(128 + SIGINT));
}

TEST(Terminal, InterruptsWhatTheCommandLeftRunning) {
  const Scratch scratch;
  Session session({"run", "--grace", "600", scratch.path(), "--", "sh", "-c",
                   "setsid env --default-signal=INT sh -c 'trap \"echo interrupted; exit 0\" INT; echo begun; while :; "
                   "do sleep 0.1; done' & "
                   "read line; exit 3"});
  session.await_screen("begun");
  session.type("go\n");
  // The shell must have ended for the keys to be ours; how often they come does not matter.
  session.type_until("\x03", "interrupted");
  EXPECT_EQ(session.await_report(), job_ended);
  const char code = session.await_report();
  EXPECT_TRUE(code == 3 || code == static_cast<char>(128 + SIGINT));
}

TEST(Terminal, StopsAndContinuesTheJob) {
  const Scratch scratch;
  Session session({"run", scratch.path(), "--", "cat"});
  session.type("one\n");
  session.await_screen("one\r\none\r\n");
  session.type("\x1a");
  ASSERT_EQ(session.await_report(), job_stopped);
  session.continue_job();
  session.type("two\n");
  session.await_screen("two\r\ntwo\r\n");
  session.type("\x1a");
  ASSERT_EQ(session.await_report(), job_stopped) << "a second time";
  session.continue_job();
  session.type("\x04");
  EXPECT_EQ(session.await_report(), job_ended);
  EXPECT_EQ(session.await_report(), 0);
}

TEST(Terminal, DoesNotContinueAJobThatWasStoppedForLongerThanItsLease) {
  const Scratch scratch;
  Session session({"run", "--lease", "2", scratch.path(), "--", "sh", "-c", "echo begun; exec cat"});
  session.await_screen("begun");
  session.type("\x1a");
  ASSERT_EQ(session.await_report(), job_stopped);
  ASSERT_EQ(run({"run", "--lease", "2", "--timeout", "25", scratch.path(), "--", "true"}).code, 0);
  session.continue_job();
  EXPECT_EQ(session.await_report(), job_ended);
  EXPECT_EQ(session.await_report(), 123);
}

// With stdout in a pipe, its reader may need the terminal. The command gets it when it asks.
TEST(Terminal, IsLentOnDemandWhenStdoutIsAPipe) {
  const Scratch scratch;
  Session session({"run", scratch.path("outer"), "--", "sh", "-c",
                   std::string(RWLEASE_CLI_PROGRAM) + " run " + scratch.path() +
                       " -- sh -c 'echo begun >&2; read word; echo got-$word' | cat"});
  session.await_screen("begun");
  session.type("hello\n");
  session.await_screen("got-hello");
  EXPECT_EQ(session.await_report(), job_ended);
  EXPECT_EQ(session.await_report(), 0);
}

std::string first_holder(const Scratch& scratch) {
  const std::string json = run({"status", "--json", scratch.path()}).out;
  const std::size_t begin = json.find("\"id\": \"") + 7;
  return json.substr(begin, json.find('"', begin) - begin);
}

TEST(Terminal, IsWhereBreakAsks) {
  const Scratch scratch;
  Program holder(with_subject({"--read", "--interval", "0.3", "--lease", "2"}, scratch.path()));
  holder.await_out("ready");
  const std::string id = first_holder(scratch);
  {
    Session no({"break", "--id", id, scratch.path()});
    no.await_screen("[y/N]");
    no.type("\n");
    no.await_screen("was left alone");
    EXPECT_EQ(no.await_report(), job_ended);
    EXPECT_EQ(no.await_report(), 2);
  }
  {
    Session interrupted({"break", "--id", id, scratch.path()});
    interrupted.await_screen("[y/N]");
    interrupted.type("\x03");
    interrupted.await_screen("interrupted by SIGINT: nobody was broken");
    EXPECT_EQ(interrupted.await_report(), job_ended);
    EXPECT_EQ(interrupted.await_report(), static_cast<char>(128 + SIGINT));
  }
  Session yes({"break", "--id", id, scratch.path()});
  yes.await_screen("[y/N]");
  yes.type("y\n");
  yes.await_screen("removed reader");
  EXPECT_EQ(yes.await_report(), job_ended);
  EXPECT_EQ(yes.await_report(), 0);
  EXPECT_EQ(holder.finish().code, 123);
}

TEST(Terminal, StopsWhileWaitingAndGoesOn) {
  const Scratch scratch;
  Program holder(with_subject({"--read"}, scratch.path()));
  holder.await_out("ready");
  Session session({"run", scratch.path(), "--", "echo", "done"});
  session.await_screen("waiting");
  session.type("\x1a");
  ASSERT_EQ(session.await_report(), job_stopped);
  session.continue_job();
  holder.send(SIGTERM);
  session.await_screen("done");
  EXPECT_EQ(session.await_report(), job_ended);
  EXPECT_EQ(session.await_report(), 0);
}

}  // namespace
}  // namespace rwlease::test
