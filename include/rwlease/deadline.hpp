// Until when an acquire may take. One deadline covers the whole acquire, whatever phase it is in.
#pragma once

#include <chrono>
#include <limits>

namespace rwlease {

// A point in time on the steady clock, or "for ever", or "now" (try once). A plain value.
//
//   lock.acquire(Mode::read, Deadline::after(std::chrono::seconds(30)));
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // Waits as long as it takes.
  static constexpr Deadline forever() noexcept { return Deadline(Clock::time_point::max()); }

  // One try, no waiting.
  static constexpr Deadline now() noexcept { return Deadline(Clock::time_point::min()); }

  static constexpr Deadline at(Clock::time_point when) noexcept { return Deadline(when); }

  // Zero or less is one try; a duration too long for the clock is for ever.
  template <class Rep, class Period>
  static Deadline after(std::chrono::duration<Rep, Period> duration) {
    using Seconds = std::chrono::duration<double>;
    const Seconds seconds = duration;
    if (!(seconds.count() > 0)) return now();
    const Clock::time_point start = Clock::now();
    if (seconds >= Seconds(Clock::time_point::max() - start) - Seconds(1)) return forever();
    return at(start + std::chrono::duration_cast<Clock::duration>(seconds));
  }

  constexpr bool is_forever() const noexcept { return when_ == Clock::time_point::max(); }
  constexpr bool is_now() const noexcept { return when_ == Clock::time_point::min(); }
  constexpr Clock::time_point when() const noexcept { return when_; }

 private:
  constexpr explicit Deadline(Clock::time_point when) noexcept : when_(when) {}

  Clock::time_point when_;
};

}  // namespace rwlease
