#include "inquiry.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace rwlease::cli {
namespace {

constexpr std::size_t longest_answer = 1U << 20U;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In a group of its own, so that what a terminal sends to ours does not reach it; with no signal blocked.
pid_t start(std::vector<std::string> words, int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const std::vector<char*> pointers = pointers_to(words);
  const int error = ::posix_spawnp(&pid, pointers.front(), &files, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error == 0 ? pid : 0;
}

int await_end(pid_t pid) noexcept {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

}  // namespace

Inquiry::Inquiry(const std::vector<std::string>& command, Clock::duration patience) : latest_(Clock::now() + patience) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  output_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  pid_ = start(command, theirs.get());
}

bool Inquiry::is_over() {
  if (pid_ == 0) return true;
  if (!read_all()) {
    if (Clock::now() < latest_ && said_.size() < longest_answer) return false;
    end();
    return true;
  }
  const int status = await_end(pid_);  // it has closed its output, so it is about to end
  pid_ = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) answer_ = said_;
  return true;
}

void Inquiry::await(int descriptor) const {
  if (pid_ == 0) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest_ - Clock::now()).count();
  std::array<pollfd, 2> watched{{{output_.get(), POLLIN, 0}, {descriptor, POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), static_cast<int>(std::max<decltype(left)>(left, 0)));
}

// True at the end of what it says.
bool Inquiry::read_all() {
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(output_.get(), buffer, sizeof buffer);
    if (got == 0) return true;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    said_.append(buffer, static_cast<std::size_t>(got));
    if (said_.size() >= longest_answer) return false;
  }
}

void Inquiry::end() noexcept {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  await_end(pid_);
  pid_ = 0;
}

}  // namespace rwlease::cli
