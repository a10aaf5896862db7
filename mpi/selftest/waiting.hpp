// How a rank waits: it sleeps between looks, serves the referee, and notices signals.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <utility>

namespace rwlease::selftest {

using Clock = std::chrono::steady_clock;

class Waiting {
 public:
  // Done between looks, on every rank whatever it waits for. It must not wait itself.
  void set_duty(std::function<void()> duty) { duty_ = std::move(duty); }

  // Called when a signal was noted; it must end the process. (Unwinding instead would leave MPI and other threads with
  // pointers into frames that are gone.)
  void set_departure(std::function<void(int signal)> departure) { departure_ = std::move(departure); }

  // Until `done()`.
  template <class Done>
  void until(Done done) {
    for (Nap nap = new_nap(); !done(); nap.take()) attend();
  }

  // The same with a limit; was it done?
  template <class Done>
  bool until(Done done, Clock::time_point limit) {
    for (Nap nap = new_nap(); !done(); nap.take()) {
      if (Clock::now() >= limit) return false;
      attend();
    }
    return true;
  }

  void sleep_until(Clock::time_point when) {
    until([when] { return Clock::now() >= when; });
  }

  void request(MPI_Request& request);

 private:
  // Grows from 50 microseconds: a rank that waits long costs less than a hundredth of a core.
  class Nap {
   public:
    explicit Nap(long longest_ns) : longest_ns_(longest_ns) {}
    void take() noexcept;

   private:
    long next_ns_ = 50'000;
    long longest_ns_;
  };

  // Others wait for one that has a duty.
  Nap new_nap() const noexcept { return Nap(duty_ ? 1'000'000 : 5'000'000); }

  void attend();

  std::function<void()> duty_;
  std::function<void(int)> departure_;
};

}  // namespace rwlease::selftest
