#include "process/support/calls.hpp"

#include "process/support/participant.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace rwlease::test {
namespace {

std::atomic<bool> heartbeats_refused{false};
thread_local Gate* gate_of_looks = nullptr;
thread_local Gate* gate_of_removals = nullptr;

Gate*& gate_of(HeldUp::Calls calls) { return calls == HeldUp::Calls::looks ? gate_of_looks : gate_of_removals; }

}  // namespace

void Gate::pass() {
  std::unique_lock<std::mutex> lock(mutex_);
  arrived_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, 2 * patience, [this] { return open_; });
}

void Gate::open() {
  const std::lock_guard<std::mutex> guard(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::await_arrival() {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return arrived_; });
}

bool Gate::arrived() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return arrived_;
}

void refuse_heartbeats(bool refuse) { heartbeats_refused.store(refuse); }

HeldUp::HeldUp(Calls calls, Gate& gate) { gate_of(calls) = &gate; }

HeldUp::~HeldUp() { gate_of_looks = gate_of_removals = nullptr; }

}  // namespace rwlease::test

using rwlease::test::gate_of_looks;
using rwlease::test::gate_of_removals;
using rwlease::test::heartbeats_refused;

// The library's calls find these only if the program shows them.
#pragma GCC visibility push(default)
extern "C" {

int utimensat(int directory, const char* name, const struct timespec* times, int flags) noexcept {
  if (times == nullptr && heartbeats_refused.load()) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_utimensat, directory, name, times, flags));
}

int statx(int directory, const char* name, int flags, unsigned mask, struct statx* found) noexcept {
  if (gate_of_looks != nullptr) gate_of_looks->pass();
  return static_cast<int>(::syscall(SYS_statx, directory, name, flags, mask, found));
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  if (gate_of_removals != nullptr) gate_of_removals->pass();
  return static_cast<int>(::syscall(SYS_unlinkat, directory, name, flags));
}

}  // extern "C"
#pragma GCC visibility pop
