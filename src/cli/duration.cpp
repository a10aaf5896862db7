#include "duration.hpp"

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace rwlease::cli {
namespace {

constexpr std::int64_t most_seconds = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_decimal(const std::string& text) {
  std::size_t digits = 0;
  std::size_t points = 0;
  for (const char c : text) {
    if (is_digit(c)) {
      ++digits;
    } else if (c == '.') {
      ++points;
    } else {
      return false;
    }
  }
  return digits > 0 && points <= 1;
}

// The milliseconds of the digits behind the point, rounded up.
std::int64_t fraction_in_ms(const std::string& digits) {
  std::int64_t ms = 0;
  for (std::size_t i = 0; i < 3; ++i) ms = ms * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  const bool more = digits.size() > 3 && digits.find_first_not_of('0', 3) != std::string::npos;
  return ms + (more ? 1 : 0);
}

std::string with_unit(std::int64_t count, const char* unit) { return std::to_string(count) + ' ' + unit; }

std::string two_units(std::int64_t seconds, std::int64_t great, const char* great_unit, std::int64_t small,
                      const char* small_unit) {
  const std::int64_t rest = seconds % great / small;
  const std::string first = with_unit(seconds / great, great_unit);
  return rest == 0 ? first : first + ' ' + with_unit(rest, small_unit);
}

std::string below_ten_seconds(std::int64_t ms) {
  if (ms % 1000 == 0) return with_unit(ms / 1000, "s");
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(ms) / 1000.0);
  return text;
}

}  // namespace

std::chrono::milliseconds parse_seconds(const std::string& option, const std::string& text) {
  if (text.size() > 1 && text[0] == '-' && is_decimal(text.substr(1))) {
    throw std::invalid_argument(option + " cannot be negative, as '" + text + "' is");
  }
  if (!is_decimal(text)) {
    throw std::invalid_argument(option + " takes a number of seconds, such as 30 or 0.5; '" + text + "' is none");
  }
  const std::size_t point = text.find('.');
  std::int64_t seconds = 0;
  for (const char c : text.substr(0, point)) {
    seconds = seconds * 10 + (c - '0');
    if (seconds > most_seconds) {
      throw std::invalid_argument(option + " of '" + text + "' seconds is more than the most that is possible, " +
                                  std::to_string(most_seconds));
    }
  }
  const std::int64_t ms = point == std::string::npos ? 0 : fraction_in_ms(text.substr(point + 1));
  return std::chrono::milliseconds(seconds * 1000 + ms);
}

std::string to_text(std::chrono::milliseconds duration) {
  const std::int64_t ms = duration.count() < 0 ? 0 : duration.count();
  const std::int64_t seconds = ms / 1000;
  if (seconds < 10) return below_ten_seconds(ms);
  if (seconds < 60) return with_unit(seconds, "s");
  if (seconds < 3600) return two_units(seconds, 60, "min", 1, "s");
  if (seconds < 86400) return two_units(seconds, 3600, "h", 60, "min");
  return two_units(seconds, 86400, "d", 3600, "h");
}

}  // namespace rwlease::cli
