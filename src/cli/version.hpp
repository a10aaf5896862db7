// What this program is, and how it was built.
#pragma once

#include <string>

namespace rwlease::cli {

// "rwlease 0.1.0", then a line for each fact.
std::string version_text();

}  // namespace rwlease::cli
