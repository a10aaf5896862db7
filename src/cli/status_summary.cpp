#include "status_summary.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace rwlease::cli {

const char* StatusSummary::state() const noexcept {
  if (writers > 0) return "write";
  if (readers > 0) return "read";
  return claimed ? "claimed" : "free";
}

StatusSummary summarize(const Status& status) {
  StatusSummary summary;
  for (const Participant& participant : status.participants) {
    const bool blocks = participant.phase == Phase::holding || participant.phase == Phase::foreign;
    if (blocks) ++(participant.mode == Mode::read ? summary.readers : summary.writers);
    if (participant.phase == Phase::draining) summary.claimed = true;
    if (participant.phase == Phase::waiting) ++summary.waiting_writers;
  }
  return summary;
}

std::chrono::milliseconds age(std::chrono::system_clock::time_point when, std::chrono::system_clock::time_point now) {
  const auto shown = std::clamp(when, std::chrono::system_clock::time_point{}, now);
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - shown);
}

std::string user_name(unsigned uid) {
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  const int error = ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return error == 0 && found != nullptr ? found->pw_name : std::to_string(uid);
}

}  // namespace rwlease::cli
