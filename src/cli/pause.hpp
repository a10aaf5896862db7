// Waiting between two pieces of output.
#pragma once

#include <chrono>

namespace rwlease::cli {

// For the duration; false, and at once, when nobody can read any more what is written there (a closed pipe, a terminal
// that hung up).
bool pause_while_read(int descriptor, std::chrono::milliseconds duration);

}  // namespace rwlease::cli
