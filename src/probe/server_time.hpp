// The file system's times: how fine they are, and how this host's clock stands to them.
#pragma once

#include "probe/folder.hpp"

#include <chrono>
#include <string>

namespace rwlease::probe {

// How far apart two times that the file system gives are at least; also whether markers can be symlinks.
struct TimeStep {
  std::chrono::nanoseconds step{};
  MarkerKind kind = MarkerKind::symlink;
  std::string trouble;  // not empty: times cannot be set, so there are no heartbeats
};

// Makes entries in the directory and leaves them there.
TimeStep measure_time_step(const std::string& directory);

struct ClockOffset {
  double seconds = 0;        // how far this host's wall clock is ahead of the file server's
  double uncertainty = 1e9;  // half of what the question took, and the step of the server's times
};

// `name` is the entry to make for it. Throws rwlease::Error.
ClockOffset measure_clock_offset(const std::string& directory, const std::string& name, const TimeStep& step);

}  // namespace rwlease::probe
