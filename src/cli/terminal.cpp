#include "terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace rwlease::cli {

Terminal::Terminal() noexcept : device_(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) {}

bool Terminal::is_interactive() const noexcept {
  return in_foreground() && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

bool Terminal::in_foreground() const noexcept { return device_.is_open() && ::tcgetpgrp(device_.get()) == ::getpgrp(); }

void Terminal::lend(pid_t group) noexcept {
  if (in_foreground() && ::tcsetpgrp(device_.get(), group) == 0) borrower_ = group;
}

void Terminal::take_back() noexcept {
  const pid_t borrower = std::exchange(borrower_, 0);
  if (borrower != 0 && ::tcgetpgrp(device_.get()) == borrower) ::tcsetpgrp(device_.get(), ::getpgrp());
}

}  // namespace rwlease::cli
