// Commands that end the process, or make another one of it.
#include "process/participant/report.hpp"
#include "process/participant/session.hpp"

#include <rwlease/signals.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace rwlease::test {
namespace {

// Async-signal-safe, unlike report().
void tell_handled(int /*signal*/) {
  constexpr std::array<char, 11> line = {'0', ' ', 'h', 'a', 'n', 'd', 'l', 'e', 'd', ' ', '\n'};
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

int number_of(const std::string& name) {
  if (name == "TERM") return SIGTERM;
  if (name == "HUP") return SIGHUP;
  if (name == "XCPU") return SIGXCPU;
  throw std::runtime_error("no signal: " + name);
}

// The child looks at what it inherited, then acts on its own.
void check_in_child(Lock& lock, std::vector<Lease>& leases, Mode mode) {
  std::string text = "valid=";
  text += leases.back().valid() ? "yes" : "no";
  text += leases.back().verify() ? " verify=yes" : " verify=no";
  text += " release=" + std::string(to_string(leases.back().release()));
  leases.clear();
  report("child-looked", text);
  const auto early = lock.try_acquire(mode);
  report("child-tried", early ? "held" : "busy");
  Lease lease = lock.acquire(mode);
  report("child-entered", lease.valid() ? "yes" : "no");
}

std::string reaped(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) ? std::to_string(WEXITSTATUS(status)) : "signal " + std::to_string(WTERMSIG(status));
}

bool forked = false;

}  // namespace

// handle SIGNAL: the application's own handler, which reports "handled".
std::string Session::handle(const Words& words) {
  struct sigaction action = {};
  action.sa_handler = tell_handled;
  ::sigaction(number_of(words.at(1)), &action, nullptr);
  return "";
}

// release-on SIGNAL
std::string Session::release_on(const Words& words) {
  release_on_signals({number_of(words.at(1))});
  return "";
}

// fork WHAT
//   check read|write   the child reports what it sees of the parent's lease, then acquires; the reply is its pid
//   pause              the child waits for a signal; the reply is its pid
//   exit               the child calls exit(); the reply is its status
//   unwind             the child destroys what it inherited; the reply is its status
std::string Session::fork_child(const Words& words) {
  const std::string& what = words.at(1);
  const pid_t child = ::fork();
  if (child == -1) throw std::system_error(errno, std::generic_category(), "fork");
  if (child > 0) return what == "exit" || what == "unwind" ? reaped(child) : std::to_string(child);
  forked = true;
  die_with_parent();
  if (what == "check") check_in_child(lock_, leases_, words.at(2) == "write" ? Mode::write : Mode::read);
  if (what == "unwind") leases_.clear();
  while (what == "pause") std::this_thread::sleep_for(std::chrono::hours(1));
  std::exit(0);
}

// reap PID: waits for a child; the reply is its status, or "signal N".
std::string Session::reap(const Words& words) { return reaped(std::stoi(words.at(1))); }

// end HOW: by exit, _exit, exec (of cat, which reads what the participant would have read), or return, which returns
// from main() with the leases leaked.
std::string Session::end(const Words& words) {
  const std::string& how = words.at(1);
  report("ending", how);
  if (how == "exit") std::exit(0);
  if (how == "_exit") ::_exit(0);
  if (how == "exec") ::execlp("cat", "cat", nullptr);
  leaks_ = true;
  return "";
}

}  // namespace rwlease::test

#if defined(__SANITIZE_ADDRESS__)
// The search for leaks hangs in a forked child whose parent had threads.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return rwlease::test::forked ? 1 : 0; }
#endif
