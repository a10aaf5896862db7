#include "probe/interrupt.hpp"

#include <signal.h>

#include <atomic>
#include <initializer_list>

namespace rwlease::probe {
namespace {

std::atomic<int> noted{0};

Cancel& the_cancel() {
  static Cancel cancel;
  return cancel;
}

void note(int signal) {
  int before = 0;
  bool counts = noted.compare_exchange_strong(before, signal);
  if (before == SIGPIPE) counts = noted.compare_exchange_strong(before, signal);
  if (counts && signal != SIGPIPE) the_cancel().cancel();
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void note_signals() {
  the_cancel();  // made before a handler needs it
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    if (!is_ignored(signal)) sigaction(signal, &action, nullptr);
  }
}

int noted_signal() noexcept { return noted.load(); }

const Cancel& interruption() { return the_cancel(); }

}  // namespace rwlease::probe
