// A status for people.
#pragma once

#include "palette.hpp"

#include <rwlease/status.hpp>

#include <chrono>
#include <string>

namespace rwlease::cli {

// One line that sums it up, then a table of the participants, then warnings. Everything that comes from records or
// file names is made printable.
std::string status_text(const std::string& path, const Status& status, std::chrono::system_clock::time_point now,
                        const Palette& palette = Palette());

}  // namespace rwlease::cli
