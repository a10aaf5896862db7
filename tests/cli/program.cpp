#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace rwlease::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

void require(bool condition, const char* what) {
  if (!condition) throw std::system_error(errno, std::generic_category(), what);
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  require(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe2");
  return ends;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::chrono::nanoseconds until(Clock::time_point deadline) {
  return std::max<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::nanoseconds(0));
}

int shell_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

sigset_t only(int signal) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  return set;
}

// SIGCHLD stays blocked in tests, so that waiting for it cannot miss it. Blocked before the first child exists.
void keep_sigchld_waiting() {
  const sigset_t child = only(SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
}

[[noreturn]] void become(const std::vector<char*>& words, const std::array<int, 3>& streams,
                         const std::function<void()>& prepare) {
  for (int target = 0; target < 3; ++target) ::dup2(streams[static_cast<std::size_t>(target)], target);
  const sigset_t child = only(SIGCHLD);
  ::sigprocmask(SIG_UNBLOCK, &child, nullptr);
  if (prepare) prepare();
  ::execv(words[0], words.data());
  ::_exit(99);
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const std::function<void()>& prepare) {
  keep_sigchld_waiting();
  std::vector<std::string> words{RWLEASE_CLI_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = pointers_to(words);
  const auto in = make_pipe();
  const auto out = make_pipe();
  const auto err = make_pipe();
  pid_ = ::fork();
  require(pid_ >= 0, "fork");
  if (pid_ == 0) become(pointers, {in[0], out[1], err[1]}, prepare);
  for (const int theirs : {in[0], out[1], err[1]}) ::close(theirs);
  stdin_ = in[1];
  out_.descriptor = out[0];
  err_.descriptor = err[0];
}

Program::~Program() {
  if (code_ < 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_stdin();
  ::close(out_.descriptor);
  ::close(err_.descriptor);
}

void Program::send(int signal) const { require(::kill(pid_, signal) == 0, "kill"); }

void Program::write_stdin(const std::string& text) {
  require(::write(stdin_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "write");
}

void Program::close_stdin() {
  if (stdin_ >= 0) ::close(stdin_);
  stdin_ = -1;
}

std::string Program::await(Stream& stream, const std::string& text) {
  const auto deadline = Clock::now() + soon;
  while (stream.text.find(text) == std::string::npos) {
    if (stream.ended) fail("the stream ended before '" + text + "' came: " + out_.text + err_.text);
    read_some(stream, deadline);
  }
  return stream.text;
}

std::string Program::poll_out() {
  pollfd source{out_.descriptor, POLLIN, 0};
  if (::poll(&source, 1, 20) > 0) read_some(out_, Clock::now() + soon);
  return out_.text;
}

std::string Program::await_end_of_out() {
  const auto deadline = Clock::now() + soon;
  while (!out_.ended) read_some(out_, deadline);
  return out_.text;
}

void Program::read_some(Stream& stream, Clock::time_point deadline) {
  pollfd source{stream.descriptor, POLLIN, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until(deadline));
  if (::poll(&source, 1, static_cast<int>(left.count())) <= 0) fail("nothing came: " + out_.text + err_.text);
  std::array<char, 4096> buffer;
  const ssize_t got = ::read(stream.descriptor, buffer.data(), buffer.size());
  require(got >= 0, "read");
  stream.ended = got == 0;
  stream.text.append(buffer.data(), static_cast<std::size_t>(got));
}

void Program::read_rest(Stream& stream) {
  // Not until the end of the stream: a relative of the command may outlive rwlease and keep it open.
  pollfd source{stream.descriptor, POLLIN, 0};
  while (!stream.ended && ::poll(&source, 1, 0) > 0) read_some(stream, Clock::now() + soon);
}

void Program::stop() {
  send(SIGSTOP);
  if (!WIFSTOPPED(await_change(WUNTRACED))) fail("rwlease ended instead of being stopped");
}

int Program::await_exit() {
  await_change(0);
  return code_;
}

int Program::await_change(int options) {
  const auto deadline = Clock::now() + soon;
  const sigset_t child = only(SIGCHLD);
  int status = 0;
  while (::waitpid(pid_, &status, options | WNOHANG) != pid_) {
    const auto left = until(deadline);
    if (left.count() == 0) fail("rwlease neither ends nor stops: " + out_.text + err_.text);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec pause{seconds.count(), (left - seconds).count()};
    ::sigtimedwait(&child, nullptr, &pause);
  }
  if (!WIFSTOPPED(status)) code_ = shell_code(status);
  return status;
}

Result Program::finish() {
  close_stdin();
  const int code = await_exit();
  read_rest(out_);
  read_rest(err_);
  return {code, out_.text, err_.text};
}

Result run(const std::vector<std::string>& arguments) { return Program(arguments).finish(); }

std::vector<std::string> with_subject(const std::vector<std::string>& options, const std::string& path,
                                      const std::string& behaviour) {
  std::vector<std::string> words{"run"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {path, "--", RWLEASE_CLI_SUBJECT_PROGRAM, behaviour});
  return words;
}

void kill_hard(pid_t process) {
  const int watch = static_cast<int>(::syscall(SYS_pidfd_open, process, 0U));
  require(watch >= 0, "pidfd_open");
  require(::kill(process, SIGKILL) == 0, "kill");
  pollfd source{watch, POLLIN, 0};
  const bool dead = ::poll(&source, 1, static_cast<int>(std::chrono::milliseconds(soon).count())) == 1;
  ::close(watch);
  if (!dead) fail("a killed process does not die");
}

pid_t reported_pid(const std::string& out, std::size_t index) {
  std::istringstream words(out);
  const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
  return static_cast<pid_t>(std::stol(all.at(index)));
}

}  // namespace rwlease::test
