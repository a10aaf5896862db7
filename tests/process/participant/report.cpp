#include "process/participant/report.hpp"

#include "process/support/clock.hpp"

#include <unistd.h>

#include <algorithm>

namespace rwlease::test {

void report(const std::string& kind, const std::string& text) {
  std::string line = std::to_string(monotonic_now().count()) + " " + kind + " " + text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  constexpr std::size_t whole_to_a_pipe = 4095;
  line.resize(std::min(line.size(), whole_to_a_pipe));
  line += '\n';
  // Nobody listens any more when this fails.
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
}

}  // namespace rwlease::test
