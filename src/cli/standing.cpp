#include "standing.hpp"

#include "duration.hpp"
#include "status_summary.hpp"

namespace rwlease::cli {
namespace {

using std::chrono::milliseconds;

std::string ago(milliseconds age) { return to_text(std::chrono::duration_cast<std::chrono::seconds>(age)) + " ago"; }

}  // namespace

const char* to_string(Standing standing) noexcept {
  switch (standing) {
    case Standing::alive:
      return "alive";
    case Standing::suspect:
      return "suspect";
    case Standing::dead:
      return "dead";
    case Standing::unknown:
      break;
  }
  return "unknown";
}

Judgement judge(const Participant& participant, std::chrono::system_clock::time_point now) {
  if (participant.liveness == Liveness::dead) return {Standing::dead, participant.why};
  const bool shows_life = participant.last_heartbeat != std::chrono::system_clock::time_point{};
  const bool has_terms = shows_life && participant.lease.count() > 0;
  const milliseconds silent = shows_life ? age(participant.last_heartbeat, now) : milliseconds(0);
  const std::string terms = "heartbeat " + ago(silent) + ", lease " + to_text(participant.lease);
  // Also where its process runs: it may be stopped, or cut off from the file system.
  if (has_terms && silent > participant.lease) return {Standing::suspect, "last " + terms};
  if (participant.liveness == Liveness::alive) return {Standing::alive, participant.why};
  if (has_terms) return {Standing::alive, terms};
  return {Standing::unknown, participant.why};
}

}  // namespace rwlease::cli
