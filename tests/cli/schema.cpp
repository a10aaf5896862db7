#include "schema.hpp"

#include "support/scratch.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace rwlease::test {

std::string violations(const std::string& json, const std::string& schema) {
  const Scratch scratch;
  std::ofstream(scratch.path()) << json;
  const std::string root = RWLEASE_SOURCE_DIR;
  const std::string command = root + "/tests/cli/conforms " + root + "/docs/" + schema + " " + scratch.path() + " 2>&1";
  FILE* const checker = ::popen(command.c_str(), "r");
  if (checker == nullptr) throw std::runtime_error("no shell to be had");
  std::string said;
  std::array<char, 1024> buffer;
  while (std::fgets(buffer.data(), buffer.size(), checker) != nullptr) said += buffer.data();
  const bool conforms = ::pclose(checker) == 0;
  return conforms || !said.empty() ? said : "the checker failed";
}

}  // namespace rwlease::test
