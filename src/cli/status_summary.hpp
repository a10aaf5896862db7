// What a status comes down to, the same in text and JSON.
#pragma once

#include <rwlease/status.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace rwlease::cli {

struct StatusSummary {
  std::size_t readers = 0;  // that hold, or block like holders
  std::size_t writers = 0;
  bool claimed = false;  // a writer stands and waits for readers to leave
  std::size_t waiting_writers = 0;

  // "free", "claimed" (by a writer, nobody holds), "read", "write".
  const char* state() const noexcept;
};

StatusSummary summarize(const Status& status);

// How long ago that was. Clocks of hosts and file servers differ: what would lie in the future is now. And a file on
// NFS can show any time at all: what would lie before the epoch, so far back that the difference could overflow, is the
// epoch.
std::chrono::milliseconds age(std::chrono::system_clock::time_point when, std::chrono::system_clock::time_point now);

// The name of a user, or the number where it has none.
std::string user_name(unsigned uid);

}  // namespace rwlease::cli
