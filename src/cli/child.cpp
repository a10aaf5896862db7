#include "child.hpp"

#include "exit_codes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace rwlease::cli {
namespace {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "creating a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

template <class T>
bool read_whole(int descriptor, T& value) noexcept {
  ssize_t got = 0;
  do {
    got = ::read(descriptor, &value, sizeof value);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof value);
}

template <class T>
bool write_whole(int descriptor, const T& value) noexcept {
  ssize_t put = 0;
  do {
    put = ::write(descriptor, &value, sizeof value);
  } while (put < 0 && errno == EINTR);
  return put == static_cast<ssize_t>(sizeof value);
}

void set_environment(const ChildEnvironment& environment, std::uint64_t fence) {
  ::setenv("RWLEASE_PATH", environment.path.c_str(), 1);
  ::setenv("RWLEASE_MODE", environment.mode.c_str(), 1);
  ::setenv("RWLEASE_ID", environment.id.c_str(), 1);
  ::setenv("RWLEASE_FENCE", std::to_string(fence).c_str(), 1);
}

// Ties our life to the parent's. The parent may be dead already; then nobody is left who could be told.
void die_with(pid_t parent) noexcept {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) ::_exit(exit_failure);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the child does. `gate` and `report` are its ends.
[[noreturn]] void be_child(pid_t parent, int gate, int report, char* const* command,
                           const ChildEnvironment& environment, const SignalInbox& inbox) {
  ::setpgid(0, 0);
  die_with(parent);
  std::uint64_t fence = 0;
  if (!read_whole(gate, fence)) ::_exit(exit_failure);
  set_environment(environment, fence);
  inbox.restore_in_child();
  ::execvp(command[0], command);
  write_whole(report, errno);
  ::_exit(exit_failure);
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const ChildEnvironment& environment, const SignalInbox& inbox) {
  std::vector<std::string> words = command;
  const std::vector<char*> pointers = pointers_to(words);
  Pipe gate = make_pipe();
  Pipe report = make_pipe();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "forking");
  if (pid_ == 0) {
    gate.write_end.close();
    be_child(parent, gate.read_end.get(), report.write_end.get(), pointers.data(), environment, inbox);
  }
  ::setpgid(pid_, pid_);  // both do it: whoever comes first, the group exists when either needs it
  gate_ = std::move(gate.write_end);
  report_ = std::move(report.read_end);
}

Child::~Child() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::start(std::uint64_t fence) {
  if (!write_whole(gate_.get(), fence)) {
    throw std::system_error(errno, std::generic_category(), "letting the command start");
  }
  gate_.close();
}

void Child::signal(int signal) const noexcept { ::killpg(pid_, signal); }

std::optional<int> Child::next_change() {
  if (ended_) return std::nullopt;
  int status = 0;
  const pid_t changed = ::waitpid(pid_, &status, WNOHANG | WUNTRACED | WCONTINUED);
  if (changed != pid_) return std::nullopt;
  ended_ = WIFEXITED(status) || WIFSIGNALED(status);
  return status;
}

int Child::exec_error() const noexcept {
  int error = 0;
  return read_whole(report_.get(), error) ? error : 0;
}

bool Child::group_is_left() const noexcept { return ::killpg(pid_, 0) == 0 || errno == EPERM; }

int exit_code_of(int wait_status) noexcept {
  if (WIFSIGNALED(wait_status)) return exit_signal_base + WTERMSIG(wait_status);
  return WEXITSTATUS(wait_status);
}

}  // namespace rwlease::cli
