#include "faults/injector.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <mutex>
#include <thread>

namespace rwlease::test {
namespace {

constexpr std::chrono::minutes longest_wait{1};

struct State {
  std::mutex mutex;  // guards all below
  std::condition_variable changed;
  bool counting = false;
  Counted counted = Counted::this_thread;
  std::thread::id owner;
  Injection injection;
  Injected outcome;
  long beats = 0;
};

State& state() {
  static State& one = *new State;  // calls go on while the process ends
  return one;
}

std::atomic<bool> symlinks_refused{false};
std::atomic<long> clock_offset_ms{0};

void count_beat() {
  State& s = state();
  const std::lock_guard<std::mutex> guard(s.mutex);
  ++s.beats;
  s.changed.notify_all();
}

bool counts(const State& s) {
  if (!s.counting) return false;
  return (s.counted == Counted::this_thread) == (s.owner == std::this_thread::get_id());
}

// What to do with this call.
Injection verdict(const char* call, const char* name) {
  State& s = state();
  const std::lock_guard<std::mutex> guard(s.mutex);
  if (!counts(s) || ++s.outcome.calls != s.injection.nth) return {};
  s.outcome.call = std::string(call) + " " + (name == nullptr ? "" : name);
  s.changed.notify_all();
  return s.injection;
}

using RawCall = long (*)(long, ...);

RawCall raw_call() {
  static const auto call = reinterpret_cast<RawCall>(::dlsym(RTLD_NEXT, "syscall"));
  return call;
}

template <class... Arguments>
long raw(long number, Arguments... arguments) {
  return raw_call()(number, arguments...);
}

template <class Real>
long inject(const char* call, const char* name, Real real) {
  const Injection injection = verdict(call, name);
  if (injection.error == 0) return real();
  if (injection.carried_out) static_cast<void>(real());
  errno = injection.error;
  return -1;
}

// A descriptor that nobody gets to know is closed again.
template <class Real>
int inject_open(const char* call, const char* name, Real real) {
  const Injection injection = verdict(call, name);
  if (injection.error == 0) return static_cast<int>(real());
  if (injection.carried_out) {
    const long opened = real();
    if (opened >= 0) raw(SYS_close, opened);
  }
  errno = injection.error;
  return -1;
}

}  // namespace

Injector::Injector(Counted counted, const Injection& injection) {
  State& s = state();
  const std::lock_guard<std::mutex> guard(s.mutex);
  s.counting = true;
  s.counted = counted;
  s.owner = std::this_thread::get_id();
  s.injection = injection;
  s.outcome = {};
}

Injector::~Injector() { static_cast<void>(stop()); }

Injected Injector::stop() {
  State& s = state();
  const std::lock_guard<std::mutex> guard(s.mutex);
  s.counting = false;
  return s.outcome;
}

bool Injector::wait_for_hit() {
  State& s = state();
  std::unique_lock<std::mutex> lock(s.mutex);
  return s.changed.wait_for(lock, longest_wait, [&s] { return s.outcome.hit(); });
}

bool wait_for_beats(int number) {
  State& s = state();
  std::unique_lock<std::mutex> lock(s.mutex);
  const long enough = s.beats + number;
  return s.changed.wait_for(lock, longest_wait, [&s, enough] { return s.beats >= enough; });
}

void refuse_symlinks() { symlinks_refused.store(true); }
void advance_clocks(long milliseconds) { clock_offset_ms.fetch_add(milliseconds); }

}  // namespace rwlease::test

using rwlease::test::inject;
using rwlease::test::inject_open;
using rwlease::test::raw;

// The library's calls find these only if the program shows them.
#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are reserved ones.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return inject_open("open", path, [&] { return raw(SYS_openat, AT_FDCWD, path, flags, mode); });
}

int openat(int directory, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return inject_open("openat", name, [&] { return raw(SYS_openat, directory, name, flags, mode); });
}

int symlinkat(const char* target, int directory, const char* name) noexcept {
  if (rwlease::test::symlinks_refused.load()) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(inject("symlinkat", name, [&] { return raw(SYS_symlinkat, target, directory, name); }));
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  return static_cast<int>(
      inject("renameat", to, [&] { return raw(SYS_renameat2, from_directory, from, to_directory, to, 0); }));
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(inject("rename", to, [&] { return raw(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0); }));
}

int mkdirat(int directory, const char* name, mode_t mode) noexcept {
  return static_cast<int>(inject("mkdirat", name, [&] { return raw(SYS_mkdirat, directory, name, mode); }));
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  return static_cast<int>(inject("unlinkat", name, [&] { return raw(SYS_unlinkat, directory, name, flags); }));
}

int utimensat(int directory, const char* name, const struct timespec* times, int flags) noexcept {
  const long outcome = inject("utimensat", name, [&] { return raw(SYS_utimensat, directory, name, times, flags); });
  if (outcome == 0 && times == nullptr) rwlease::test::count_beat();
  return static_cast<int>(outcome);
}

int statx(int directory, const char* name, int flags, unsigned mask, struct statx* found) noexcept {
  return static_cast<int>(inject("statx", name, [&] { return raw(SYS_statx, directory, name, flags, mask, found); }));
}

int fstat(int file, struct stat* found) noexcept {
  return static_cast<int>(inject("fstat", nullptr, [&] { return raw(SYS_fstat, file, found); }));
}

int fchmod(int file, mode_t mode) noexcept {
  return static_cast<int>(inject("fchmod", nullptr, [&] { return raw(SYS_fchmod, file, mode); }));
}

int chmod(const char* path, mode_t mode) noexcept {
  return static_cast<int>(inject("chmod", path, [&] { return raw(SYS_fchmodat, AT_FDCWD, path, mode); }));
}

int fchownat(int directory, const char* name, uid_t user, gid_t group, int flags) noexcept {
  return static_cast<int>(
      inject("fchownat", name, [&] { return raw(SYS_fchownat, directory, name, user, group, flags); }));
}

ssize_t readlinkat(int directory, const char* name, char* buffer, size_t size) noexcept {
  return inject("readlinkat", name, [&] { return raw(SYS_readlinkat, directory, name, buffer, size); });
}

ssize_t read(int file, void* buffer, size_t size) {
  return inject("read", nullptr, [&] { return raw(SYS_read, file, buffer, size); });
}

ssize_t write(int file, const void* buffer, size_t size) {
  return inject("write", nullptr, [&] { return raw(SYS_write, file, buffer, size); });
}

int fsync(int file) {
  return static_cast<int>(inject("fsync", nullptr, [&] { return raw(SYS_fsync, file); }));
}

off_t lseek(int file, off_t offset, int whence) noexcept {
  return inject("lseek", nullptr, [&] { return raw(SYS_lseek, file, offset, whence); });
}

// A descriptor is gone whatever close says.
int close(int file) {
  const auto injection = rwlease::test::verdict("close", nullptr);
  const int outcome = static_cast<int>(raw(SYS_close, file));
  if (injection.error == 0) return outcome;
  errno = injection.error;
  return -1;
}

// Of those that the library has no function for, it uses getdents64.
long syscall(long number, ...) noexcept {
  va_list more;
  va_start(more, number);
  const long a = va_arg(more, long);
  const long b = va_arg(more, long);
  const long c = va_arg(more, long);
  const long d = va_arg(more, long);
  const long e = va_arg(more, long);
  const long f = va_arg(more, long);
  va_end(more);
  if (number != SYS_getdents64) return raw(number, a, b, c, d, e, f);
  return inject("getdents64", nullptr, [&] { return raw(number, a, b, c); });
}

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  const int outcome = static_cast<int>(raw(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME) {
    const long offset = rwlease::test::clock_offset_ms.load();
    now->tv_sec += offset / 1000;
    now->tv_nsec += offset % 1000 * 1'000'000;
    if (now->tv_nsec >= 1'000'000'000) {
      now->tv_sec += 1;
      now->tv_nsec -= 1'000'000'000;
    }
  }
  return outcome;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#pragma GCC visibility pop
