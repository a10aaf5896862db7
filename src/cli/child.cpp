#include "child.hpp"

#include "exit_codes.hpp"
#include "guard.hpp"
#include "processes.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace rwlease::cli {
namespace {

struct Pair {
  Descriptor first;
  Descriptor second;
};

[[noreturn]] void fail(const char* what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

// The read end is the first.
Pair make_pipe(int flags = 0) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | flags) != 0) fail("creating a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Pair make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail("creating a socket pair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// What waits in the pipe, as far as it fits; -1 for an error.
ssize_t read_some(int descriptor, void* buffer, std::size_t size) noexcept {
  ssize_t got = 0;
  do {
    got = ::read(descriptor, buffer, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

// At most PIPE_BUF bytes: all or nothing.
bool write_whole(int descriptor, const void* bytes, std::size_t size) noexcept {
  ssize_t put = 0;
  do {
    put = ::write(descriptor, bytes, size);
  } while (put < 0 && errno == EINTR);
  return put == static_cast<ssize_t>(size);
}

// Empty when there is nothing to do.
std::string read_to_end(int gate) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read_some(gate, buffer.data(), buffer.size());
    if (got < 0) return {};
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void set_environment(const ChildEnvironment& environment, const std::string& fences) {
  ::setenv("RWLEASE_PATH", environment.path.c_str(), 1);
  ::setenv("RWLEASE_MODE", environment.mode.c_str(), 1);
  ::setenv("RWLEASE_ID", environment.id.c_str(), 1);
  ::setenv("RWLEASE_FENCE", fences.c_str(), 1);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the child does. `gate` and `report` are its ends.
void be_command(int gate, int report, char* const* command, const ChildEnvironment& environment,
                const SignalInbox& inbox) {
  const std::string fences = read_to_end(gate);
  if (fences.empty()) return;
  set_environment(environment, fences);
  inbox.restore_in_child();
  ::execvp(command[0], command);
  const int error = errno;
  write_whole(report, &error, sizeof error);
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const ChildEnvironment& environment, const SignalInbox& inbox) {
  std::vector<std::string> words = command;
  const std::vector<char*> pointers = pointers_to(words);
  Pair channel = make_channel();
  Pair gate = make_pipe();
  Pair report = make_pipe(O_NONBLOCK);  // the guard has it open, too, so its end never shows
  if (!adopt_orphans()) fail("becoming the parent of orphans");
  guard_ = ::fork();
  if (guard_ < 0) fail("forking");
  if (guard_ == 0) {
    channel.first.close();
    gate.second.close();
    report.first.close();
    be_guard(std::move(channel.second),
             [&] { be_command(gate.first.get(), report.second.get(), pointers.data(), environment, inbox); });
  }
  channel_ = std::move(channel.first);
  gate_ = std::move(gate.second);
  report_ = std::move(report.first);
  channel.second.close();
  await_started();
}

void Child::await_started() {
  GuardNews news{};
  ssize_t got = 0;
  do {
    got = ::recv(channel_.get(), &news, sizeof news, 0);
  } while (got < 0 && errno == EINTR);
  const bool whole = got == static_cast<ssize_t>(sizeof news);
  if (whole && news.value > 0) {
    group_ = news.value;
    return;
  }
  ::waitpid(guard_, nullptr, 0);
  fail("starting the command's guard", whole ? -news.value : ECHILD);
}

Child::~Child() {
  channel_.close();
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::start(const std::string& fences) {
  if (!write_whole(gate_.get(), fences.data(), fences.size())) fail("letting the command start");
  gate_.close();
}

void Child::signal(int signal) noexcept {
  const GuardOrder order{GuardOrder::Kind::signal, signal};
  ::send(channel_.get(), &order, sizeof order, MSG_NOSIGNAL);  // a guard that is gone shows in next_change()
}

void Child::end_all() noexcept {
  const GuardOrder order{GuardOrder::Kind::end_all, 0};
  ::send(channel_.get(), &order, sizeof order, MSG_NOSIGNAL);
}

std::optional<int> Child::next_change() {
  GuardNews news{};
  while (channel_.is_open()) {
    const ssize_t got = ::recv(channel_.get(), &news, sizeof news, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return std::nullopt;
    if (got != static_cast<ssize_t>(sizeof news)) {
      channel_.close();
    } else if (news.kind == GuardNews::Kind::all_gone) {
      all_gone_ = true;
    } else {
      ended_ = WIFEXITED(news.value) || WIFSIGNALED(news.value);
      return news.value;
    }
  }
  return on_guard_killed();
}

// The kernel kills the command then, and its orphans come to us.
std::optional<int> Child::on_guard_killed() {
  if (all_gone_) return std::nullopt;
  kill_children();
  all_gone_ = reap_children();
  if (std::exchange(ended_, true)) return std::nullopt;
  return SIGKILL;
}

int Child::exec_error() const noexcept {
  int error = 0;
  return read_some(report_.get(), &error, sizeof error) == static_cast<ssize_t>(sizeof error) ? error : 0;
}

int exit_code_of(int wait_status) noexcept {
  if (WIFSIGNALED(wait_status)) return exit_signal_base + WTERMSIG(wait_status);
  return WEXITSTATUS(wait_status);
}

}  // namespace rwlease::cli
