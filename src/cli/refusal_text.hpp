// Why `rwlease run` refuses a lock directory, for those who only look at it.
#pragma once

#include <rwlease/status.hpp>

#include <string>

namespace rwlease::cli {

// The words of `rwlease run`, with the way out; empty where it would not refuse.
std::string refusal_text(const Status& status);

}  // namespace rwlease::cli
