// What a status comes down to, the same in text and JSON.
#pragma once

#include <rwlease/status.hpp>

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

// The name of a user, or the number where it has none.
std::string user_name(unsigned uid);

}  // namespace rwlease::cli
