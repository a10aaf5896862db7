// A command to be run under rwlease. Its first argument says how it behaves:
//   plain     ends with code 15 on SIGTERM
//   stubborn  goes on after SIGTERM
//   family    starts a stubborn process in its group, and ends with code 15 on SIGTERM itself
// It writes "ready PID GROUP" when it has started (and its relative has), and "signal N" for each signal it gets.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace {

void write_line(const std::string& line) {
  const std::string text = line + '\n';
  // One write, so that the lines of a family do not mix. Who reads them may be gone.
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) ::_exit(1);
}

[[noreturn]] void serve(const sigset_t& all, bool stubborn) {
  for (;;) {
    int signal = 0;
    ::sigwait(&all, &signal);
    write_line("signal " + std::to_string(signal));
    if (signal == SIGTERM && !stubborn) ::_exit(15);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string behaviour = argc > 1 ? argv[1] : "plain";
  sigset_t all;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  if (behaviour == "family" && ::fork() == 0) serve(all, true);
  write_line("ready " + std::to_string(::getpid()) + ' ' + std::to_string(::getpgrp()));
  serve(all, behaviour == "stubborn");
}
