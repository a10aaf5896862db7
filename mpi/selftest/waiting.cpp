#include "waiting.hpp"
#include "probe/interrupt.hpp"

#include <time.h>

#include <algorithm>

namespace rwlease::selftest {

void Waiting::Nap::take() noexcept {
  const timespec duration{0, next_ns_};
  nanosleep(&duration, nullptr);
  next_ns_ = std::min(next_ns_ + next_ns_ / 2, longest_ns_);
}

void Waiting::attend() {
  const int signal = probe::noted_signal();
  if (signal != 0 && departure_) departure_(signal);
  if (duty_) duty_();
}

void Waiting::request(MPI_Request& request) {
  until([&request] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

}  // namespace rwlease::selftest
