#include "patient.hpp"

#include <time.h>

#include <algorithm>

namespace rwlease::mpi::detail {
namespace {

constexpr long longest_nap_ns = 10'000'000;
constexpr int tests_before_first_nap = 32;  // a collective among ranks that are all there is done within these

}  // namespace

void Patience::pause() noexcept {
  if (++tests_ <= tests_before_first_nap) return;
  const timespec duration{0, next_nap_ns_};
  nanosleep(&duration, nullptr);  // a signal only makes the next test come sooner
  next_nap_ns_ = std::min(next_nap_ns_ + next_nap_ns_ / 2, longest_nap_ns);
}

}  // namespace rwlease::mpi::detail
