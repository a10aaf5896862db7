// What somebody who mistyped a word meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rwlease::cli {

// The candidate that is nearest by inserted, left out, changed and swapped letters; empty when none is near. Leading
// dashes don't count.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean '--timeout'?", or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace rwlease::cli
