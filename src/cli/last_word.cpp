#include "last_word.hpp"

#include "exit_codes.hpp"
#include "output.hpp"
#include "probe/interrupt.hpp"
#include "signals.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>

namespace rwlease::cli {
namespace {

constexpr std::chrono::milliseconds grace{5'000};

// A thread that takes no signals: they are for the one that works.
std::thread start_without_signals(const std::function<void()>& work) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(work);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace

LastWord::LastWord() : over_(::eventfd(0, EFD_CLOEXEC)) {
  if (!over_.is_open()) throw std::system_error(errno, std::generic_category(), "creating an event descriptor");
  thread_ = start_without_signals([this] { watch(); });
}

LastWord::~LastWord() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(over_.get(), &one, sizeof one);
  thread_.join();
}

// No signal comes here, so poll() is not interrupted.
void LastWord::watch() const noexcept {
  std::array<pollfd, 2> sources{{{over_.get(), POLLIN, 0}, {probe::interruption().descriptor(), POLLIN, 0}}};
  ::poll(sources.data(), sources.size(), -1);
  const bool is_over = ::poll(sources.data(), 1, static_cast<int>(grace.count())) != 0;
  if (is_over) return;
  const int signal = probe::noted_signal();
  say(std::string("interrupted by ") + signal_name(signal) +
      ", and the file system does not answer; leaving it, so that what was being made or removed there may stay");
  ::_exit(exit_signal_base + signal);
}

}  // namespace rwlease::cli
