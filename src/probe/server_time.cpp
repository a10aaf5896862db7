#include "probe/server_time.hpp"

#include <time.h>
#include <rwlease/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace rwlease::probe {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::int64_t wall_clock() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The least difference between times that a touch leaves behind.
std::chrono::nanoseconds step_of(const Folder& folder, const std::string& name) {
  constexpr int enough = 12;
  std::int64_t least = 0;
  Stamp before;
  folder.require(folder.look(name, before), "looking at", name);
  const auto limit = Clock::now() + std::chrono::milliseconds(2500);
  for (int changes = 0; changes < enough && Clock::now() < limit;) {
    Stamp after;
    folder.require(folder.touch(name), "setting the time of", name);
    folder.require(folder.look(name, after), "looking at", name);
    const std::int64_t difference = after.mtime_ns - before.mtime_ns;
    if (difference == 0) continue;
    // The first change came somewhere within a step.
    if (changes++ > 0) least = least == 0 ? std::abs(difference) : std::min(least, std::abs(difference));
    before = after;
  }
  if (least == 0) least = 1'000'000'000;
  return std::chrono::nanoseconds(least);
}

TimeStep try_kind(const std::string& place, MarkerKind kind) {
  TimeStep measured;
  measured.kind = kind;
  try {
    const Folder folder(place, kind);
    const std::string name = kind == MarkerKind::symlink ? "step-link" : "step-file";
    folder.require(folder.make_marker(name, "x"), "making", name);
    if (folder.touch_until_moved(name)) {
      measured.step = step_of(folder, name);
    } else {
      measured.trouble = "the time of an entry does not move when it is set";
    }
  } catch (const Error& error) {
    measured.trouble = error.what();
  }
  return measured;
}

}  // namespace

TimeStep measure_time_step(const std::string& directory) {
  TimeStep measured = try_kind(directory, MarkerKind::symlink);
  return measured.trouble.empty() ? measured : try_kind(directory, MarkerKind::file);
}

// The best of some questions: wall clock, touch, wall clock, and the time that the server gave.
ClockOffset measure_clock_offset(const std::string& directory, const std::string& name, const TimeStep& step) {
  constexpr int questions = 9;
  const Folder folder(directory, step.kind);
  folder.require(folder.make_marker(name, "x"), "making", name);
  ClockOffset best;
  for (int i = 0; i < questions; ++i) {
    Stamp stamp;
    const auto before = wall_clock();
    folder.require(folder.touch(name), "setting the time of", name);
    const auto after = wall_clock();
    folder.require(folder.look(name, stamp), "looking at", name);
    const double uncertainty = seconds(after - before) / 2 + seconds(step.step.count());
    if (uncertainty < best.uncertainty) best = {seconds((before + after) / 2 - stamp.mtime_ns), uncertainty};
  }
  return best;
}

}  // namespace rwlease::probe
