// Telling the log hook.
#pragma once

#include <rwlease/log.hpp>

#include <string>

namespace rwlease {

// Any thread; never throws.
void log_line(LogLevel level, const std::string& line) noexcept;

bool log_wanted() noexcept;

// Within a catch block: what was thrown, in words.
std::string text_of_current_exception();

}  // namespace rwlease
