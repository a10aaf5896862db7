// Fencing numbers for those who do not inherit the environment.
#pragma once

#include <string>

namespace rwlease::cli {

// Makes `file` hold the lines, in one step: whoever reads it sees what was there before or all of them. It stays.
// Throws Error.
void write_fence_file(const std::string& file, const std::string& lines);

}  // namespace rwlease::cli
