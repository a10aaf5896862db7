// What the command writes for programs, against the schemas in docs/.
#pragma once

#include <string>

namespace rwlease::test {

// Empty when the JSON is as docs/SCHEMA has it, else what is not; checked by another implementation than the one that
// writes it.
std::string violations(const std::string& json, const std::string& schema);

}  // namespace rwlease::test
