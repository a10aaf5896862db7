#include "version.hpp"

#include <array>
#include <string_view>

namespace rwlease::cli {

std::string version_text() {
  const std::array<std::array<std::string_view, 2>, 4> facts{{
      {"compiler", RWLEASE_COMPILER},
      {"build type", RWLEASE_BUILD_TYPE},
      {"MPI", RWLEASE_MPI},
      {"sanitizer", RWLEASE_SANITIZER},
  }};
  std::string text = "rwlease " RWLEASE_VERSION "\n";
  for (const auto& [name, value] : facts) {
    text += name;
    text += ": ";
    text += value;
    text += '\n';
  }
  return text;
}

}  // namespace rwlease::cli
