// Durations as people write them: seconds, with a fraction where they like.
#pragma once

#include <chrono>
#include <string>

namespace rwlease::cli {

// Digits with at most one decimal point: "30", "0.5", ".25". Rounded up to whole milliseconds, so that a positive
// duration never becomes 0. Throws std::invalid_argument with a sentence that names `option` for everything else:
// negative, not a number, infinite, more than a thousand million seconds.
std::chrono::milliseconds parse_seconds(const std::string& option, const std::string& text);

// The other way, for messages: "0.25 s", "12 s", "3 min", "5 h", "2 d"; two units from a minute on ("3 min 20 s").
std::string to_text(std::chrono::milliseconds duration);

}  // namespace rwlease::cli
