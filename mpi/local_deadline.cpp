#include "local_deadline.hpp"

#include <time.h>

namespace rwlease::mpi::detail {
namespace {

std::int64_t read_clock(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);  // cannot fail: both clocks are older than any kernel this runs on
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// The boot clock is read last: a stop between the two readings then makes the deadline look nearer, never farther.
Instant Instant::now() noexcept {
  Instant instant;
  instant.real = read_clock(CLOCK_REALTIME);
  instant.boot = read_clock(CLOCK_BOOTTIME);
  return instant;
}

// The deadline is stored before the lead, and read after it: a reader that meets the new lead also meets the deadline
// that belongs to it.
void LocalDeadline::grant(Instant before_barrier, std::chrono::nanoseconds left,
                          std::chrono::nanoseconds margin) noexcept {
  until_boot_.store(before_barrier.boot + left.count(), std::memory_order_release);
  greatest_lead_.store(before_barrier.real - before_barrier.boot + margin.count(), std::memory_order_release);
}

void LocalDeadline::revoke() noexcept { until_boot_.store(never, std::memory_order_release); }

std::chrono::nanoseconds LocalDeadline::remaining(Instant at) const noexcept {
  const std::int64_t greatest_lead = greatest_lead_.load(std::memory_order_acquire);
  const std::int64_t until_boot = until_boot_.load(std::memory_order_acquire);
  if (at.real - at.boot > greatest_lead || at.boot >= until_boot) return std::chrono::nanoseconds::zero();
  return std::chrono::nanoseconds(until_boot - at.boot);
}

}  // namespace rwlease::mpi::detail
