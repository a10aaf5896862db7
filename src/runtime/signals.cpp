#include <rwlease/error.hpp>
#include <rwlease/signals.hpp>

#include "runtime/slot.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <vector>

namespace rwlease {
namespace {

struct Previous {
  std::atomic<bool> installed{false};
  struct sigaction action {};
};

std::array<Previous, NSIG> previous;

// The default action, for real: the process must die of this signal, so that its parent sees that it did.
void die_of(int signal) noexcept {
  struct sigaction fallback = {};
  fallback.sa_handler = SIG_DFL;
  ::sigaction(signal, &fallback, nullptr);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

void handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  runtime::Slot::end_all();
  errno = saved;
  const struct sigaction& before = previous[static_cast<std::size_t>(signal)].action;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler == SIG_DFL) {
    die_of(signal);
  } else if (before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
}

[[noreturn]] void refuse(int signal, int error) {
  const std::error_code code(error, std::generic_category());
  throw Error("handling signal " + std::to_string(signal), "", code.message(), code);
}

void install(int signal) {
  if (signal <= 0 || signal >= NSIG) refuse(signal, EINVAL);
  Previous& slot = previous[static_cast<std::size_t>(signal)];
  if (slot.installed.load()) return;
  // Read first: the new handler may run before sigaction has told what was there.
  if (::sigaction(signal, nullptr, &slot.action) == -1) refuse(signal, errno);
  if ((slot.action.sa_flags & SA_SIGINFO) == 0 && slot.action.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // Interrupted calls go on, or do not, as with the handler that was there.
  action.sa_flags = SA_SIGINFO | (slot.action.sa_flags & (SA_RESTART | SA_NODEFER | SA_ONSTACK));
  action.sa_mask = slot.action.sa_mask;
  if (::sigaction(signal, &action, nullptr) == -1) refuse(signal, errno);
  slot.installed.store(true);
}

void restore(int signal) {
  Previous& slot = previous[static_cast<std::size_t>(signal)];
  ::sigaction(signal, &slot.action, nullptr);
  slot.installed.store(false);
}

}  // namespace

void release_on_signals(std::initializer_list<int> signals) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  std::vector<int> done;
  for (const int signal : signals) {
    const bool fresh = signal > 0 && signal < NSIG && !previous[static_cast<std::size_t>(signal)].installed.load();
    try {
      install(signal);
    } catch (...) {
      for (const int installed : done) restore(installed);
      throw;
    }
    if (fresh) done.push_back(signal);
  }
}

}  // namespace rwlease
