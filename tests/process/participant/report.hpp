// What a participant tells the test.
#pragma once

#include <string>

namespace rwlease::test {

// Writes "STAMP KIND TEXT" to standard output by one write(2), so that lines of several threads or processes don't mix.
void report(const std::string& kind, const std::string& text = "");

}  // namespace rwlease::test
