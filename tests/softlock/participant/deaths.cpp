#include "softlock/participant/deaths.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>

namespace rwlease::test {
namespace {

std::atomic<int> deadly{0};
std::atomic<int> made{0};

void change() {
  if (made.fetch_add(1) + 1 == deadly.load()) ::raise(SIGKILL);
}

template <class... Arguments>
int plain(Arguments... arguments) {
  return static_cast<int>(::syscall(arguments...));
}

}  // namespace

void die_at(int n) {
  made.store(0);
  deadly.store(n);
}

int changes() { return made.load(); }

}  // namespace rwlease::test

using rwlease::test::change;
using rwlease::test::plain;

// The library's calls find these only if the program shows them.
#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are reserved ones.
extern "C" {

int openat(int directory, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_CREAT) != 0) change();
  return plain(SYS_openat, directory, name, flags, mode);
}

int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) noexcept {
  change();
  return plain(SYS_linkat, from_directory, from, to_directory, to, flags);
}

int symlinkat(const char* target, int directory, const char* name) noexcept {
  change();
  return plain(SYS_symlinkat, target, directory, name);
}

int mkdirat(int directory, const char* name, mode_t mode) noexcept {
  change();
  return plain(SYS_mkdirat, directory, name, mode);
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  change();
  return plain(SYS_unlinkat, directory, name, flags);
}

int fchmod(int file, mode_t mode) noexcept {
  change();
  return plain(SYS_fchmod, file, mode);
}

int fsync(int file) {
  change();
  return plain(SYS_fsync, file);
}

ssize_t write(int file, const void* buffer, size_t size) {
  if (file > STDERR_FILENO) change();
  return ::syscall(SYS_write, file, buffer, size);
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#pragma GCC visibility pop
