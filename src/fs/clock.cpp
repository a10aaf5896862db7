#include "fs/clock.hpp"

#include <ctime>

namespace rwlease::fs {
namespace {

Nanoseconds read(clockid_t id) noexcept {
  struct timespec now = {};
  ::clock_gettime(id, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

}  // namespace

Nanoseconds SystemClock::boot() const noexcept { return read(CLOCK_BOOTTIME); }
Nanoseconds SystemClock::real() const noexcept { return read(CLOCK_REALTIME); }

}  // namespace rwlease::fs
