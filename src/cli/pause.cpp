#include "pause.hpp"

#include <poll.h>

#include <algorithm>

namespace rwlease::cli {

bool pause_while_read(int descriptor, std::chrono::milliseconds duration) {
  // No event is asked for; that the other end is gone is told all the same.
  struct pollfd source = {descriptor, 0, 0};
  const auto end = std::chrono::steady_clock::now() + duration;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return true;
    const int ready =
        ::poll(&source, 1, static_cast<int>(std::min<std::chrono::milliseconds>(left, std::chrono::hours(1)).count()));
    if (ready > 0) return false;
  }
}

}  // namespace rwlease::cli
