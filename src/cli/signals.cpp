#include "signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rwlease::cli {
namespace {

// Passed on besides the real-time signals. Missing on purpose: faults of our own (SEGV, ABRT...), PIPE, TTIN and TTOU,
// which concern whoever touches the terminal.
constexpr int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM,  SIGVTALRM,
                             SIGPROF, SIGXCPU, SIGIO,   SIGPWR,  SIGCONT, SIGTSTP, SIGWINCH, SIGURG};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void add_unless_ignored(sigset_t& set, int signal) {
  if (!is_ignored(signal)) ::sigaddset(&set, signal);
}

sigset_t signals_to_read() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  for (const int signal : passed_on) add_unless_ignored(set, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) add_unless_ignored(set, signal);
  return set;
}

void replace_action(int signal, void (*handler)(int), struct sigaction& original) {
  struct sigaction action {};
  action.sa_handler = handler;
  if (::sigaction(signal, &action, &original) != 0) {
    throw std::system_error(errno, std::generic_category(), "setting a signal's action");
  }
}

}  // namespace

SignalInbox::SignalInbox() {
  // An inherited "ignore" of SIGCHLD would make the kernel throw the child's exit status away.
  replace_action(SIGCHLD, SIG_DFL, original_child_action_);
  replace_action(SIGPIPE, SIG_IGN, original_pipe_action_);
  const sigset_t readable = signals_to_read();
  sigset_t blocked = readable;
  ::sigaddset(&blocked, SIGTTOU);  // lets the terminal be handed over and written to from the background
  ::sigprocmask(SIG_BLOCK, &blocked, &original_mask_);
  descriptor_ = Descriptor(::signalfd(-1, &readable, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!descriptor_.is_open()) throw std::system_error(errno, std::generic_category(), "creating a signal descriptor");
}

std::optional<int> SignalInbox::next() {
  signalfd_siginfo info{};
  ssize_t got = 0;
  do {
    got = ::read(descriptor_.get(), &info, sizeof info);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void SignalInbox::restore_in_child() const noexcept {
  ::sigaction(SIGCHLD, &original_child_action_, nullptr);
  ::sigaction(SIGPIPE, &original_pipe_action_, nullptr);
  ::sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

bool ends_process(int signal) noexcept {
  return signal != SIGCHLD && signal != SIGCONT && signal != SIGTSTP && signal != SIGWINCH && signal != SIGURG;
}

const char* signal_name(int signal) noexcept {
  switch (signal) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGQUIT:
      return "SIGQUIT";
    case SIGTERM:
      return "SIGTERM";
    case SIGALRM:
      return "SIGALRM";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return "a signal";
  }
}

bool stop_as_by_terminal(bool whole_group) noexcept {
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::kill(whole_group ? 0 : ::getpid(), SIGTSTP);
  ::pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);  // stops here, and comes back when continued
  ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  // Only SIGCONT continues a stopped process; as it is blocked here, it still waits to be read.
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGCONT) == 1;
}

}  // namespace rwlease::cli
