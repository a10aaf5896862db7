// What a call costs in processor time.
#pragma once

#include "world.hpp"

#include <sys/resource.h>

namespace rwlease::mpi::test {

inline double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The part of a core that this process used while it made the call.
template <class Call>
double load_of(Call&& call) {
  const double processor = processor_seconds();
  const std::int64_t wall = boot_now();
  call();
  return (processor_seconds() - processor) / (static_cast<double>(boot_now() - wall) * 1e-9);
}

}  // namespace rwlease::mpi::test
