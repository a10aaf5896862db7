#include "waiting_line.hpp"

#include "duration.hpp"

#include <algorithm>

namespace rwlease::cli {
namespace {

using std::chrono::milliseconds;

std::string relation(Phase phase) {
  switch (phase) {
    case Phase::holding:
      return "held by ";
    case Phase::draining:
    case Phase::waiting:
      return "claimed by ";
    case Phase::leftover:
      return "left over from ";
    case Phase::foreign:
      return "blocked by ";
  }
  return "held by ";
}

std::string kind(const Participant& participant) {
  if (participant.phase == Phase::foreign) return "a foreign entry " + participant.name;
  const std::string who = participant.mode == Mode::read ? "reader" : "writer";
  return participant.readable ? who : who + " with an unreadable record " + participant.name;
}

std::string heartbeat(const Participant& participant, std::chrono::system_clock::time_point now) {
  if (participant.last_heartbeat == std::chrono::system_clock::time_point{}) return {};
  // The file server's clock and ours differ; what would lie in the future is now.
  const auto age =
      std::max(std::chrono::duration_cast<milliseconds>(now - participant.last_heartbeat), milliseconds(0));
  const auto whole_seconds = std::chrono::duration_cast<std::chrono::seconds>(age);
  return ", heartbeat " + to_text(whole_seconds) + " ago";
}

}  // namespace

bool WaitingSchedule::is_due(milliseconds waited) noexcept {
  if (waited < next_) return false;
  next_ = waited + std::min<milliseconds>(waited, std::chrono::minutes(5));
  return true;
}

std::string describe(const Participant& participant, std::chrono::system_clock::time_point now) {
  std::string text = kind(participant);
  if (!participant.host.empty()) text += ' ' + participant.host;
  if (participant.pid != 0) text += " pid " + std::to_string(participant.pid);
  if (!participant.job.empty()) text += " job " + participant.job;
  if (!participant.label.empty()) text += " (" + participant.label + ")";
  return text + heartbeat(participant, now);
}

milliseconds Silence::of(const Obstacle& obstacle) {
  const bool same = obstacle.holder.id == id_ && obstacle.holder.last_heartbeat == heartbeat_;
  if (!same) {
    id_ = obstacle.holder.id;
    heartbeat_ = obstacle.holder.last_heartbeat;
    first_seen_ = obstacle.waited;
  }
  return obstacle.waited - first_seen_;
}

std::string patience_text(const Obstacle& obstacle, milliseconds silent, milliseconds own_lease) {
  if (obstacle.holder.phase == Phase::foreign || !obstacle.holder.readable) return {};
  const milliseconds lease = std::max(own_lease, obstacle.holder.lease);
  if (silent < lease / 2 || silent >= lease) return {};
  return "; unless it shows life, it is taken for dead in about " +
         to_text(std::chrono::ceil<std::chrono::seconds>(lease - silent));
}

std::string waiting_line(const Obstacle& obstacle, const std::string& path, std::chrono::system_clock::time_point now) {
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(obstacle.waited);
  std::string text = "waiting " + to_text(waited) + " to " + std::string(to_string(obstacle.wanted)) + ' ' + path +
                     ": " + relation(obstacle.holder.phase) + describe(obstacle.holder, now);
  if (obstacle.others == 1) text += ", and 1 other";
  if (obstacle.others > 1) text += ", and " + std::to_string(obstacle.others) + " others";
  return text;
}

}  // namespace rwlease::cli
