#include "values.hpp"

#include "arguments.hpp"
#include "duration.hpp"

#include <stdexcept>

namespace rwlease::cli {

std::optional<std::string> Values::text(const char* name) const {
  if (!has(name)) return std::nullopt;
  return options_[name].as<std::string>();
}

std::optional<std::chrono::milliseconds> Values::seconds(const char* name) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  try {
    return parse_seconds(std::string("--") + name, *given);
  } catch (const std::invalid_argument& error) {
    throw BadUsage(error.what(), command_);
  }
}

std::optional<int> Values::exit_code(const char* name) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const bool digits =
      !given->empty() && given->size() <= 3 && given->find_first_not_of("0123456789") == std::string::npos;
  const int code = digits ? std::stoi(*given) : -1;
  if (code >= 0 && code <= 255) return code;
  throw BadUsage(std::string("--") + name + " takes an exit code from 0 to 255; '" + *given + "' is none", command_);
}

}  // namespace rwlease::cli
