#include "job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace rwlease::selftest::test {
namespace {

int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

std::string Scratch::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name)).rdbuf();
  return text.str();
}

Words mpiexec(int ranks, const Words& arguments) {
  Words words{RWLEASE_SELFTEST_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return rwlease::test::mpiexec(ranks, words);
}

Job::Job(const Scratch& scratch, Words words) : scratch_(scratch) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, scratch.path("out").c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, scratch.path("err").c_str(), flags, 0600);
  pid_ = rwlease::test::start_job(std::move(words), &actions);
  posix_spawn_file_actions_destroy(&actions);
}

Job::~Job() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Job::send(int signal) const { kill(pid_, signal); }

bool Job::await_err(const std::string& text) {
  for (;;) {
    siginfo_t info = {};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (scratch_.read("err").find(text) != std::string::npos) return true;
    if (info.si_pid != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Outcome Job::finish() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return {exit_code(status), scratch_.read("out"), scratch_.read("err")};
}

Outcome run(const Scratch& scratch, const Words& words) { return Job(scratch, words).finish(); }

}  // namespace rwlease::selftest::test
