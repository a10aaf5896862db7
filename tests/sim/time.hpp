// Time as it really passes in a schedule; nobody in it can read it.
#pragma once

#include <cstdint>
#include <limits>

namespace rwlease::sim {

using Time = std::int64_t;  // nanoseconds

inline constexpr Time microsecond = 1000;
inline constexpr Time millisecond = 1000 * microsecond;
inline constexpr Time second = 1000 * millisecond;
inline constexpr Time never = std::numeric_limits<Time>::max();

}  // namespace rwlease::sim
