#include <rwlease/lease.hpp>
#include <rwlease/status.hpp>

namespace rwlease {

std::string_view to_string(Mode mode) noexcept { return mode == Mode::read ? "read" : "write"; }

std::string_view to_string(LeaseState state) noexcept {
  switch (state) {
    case LeaseState::valid:
      return "valid";
    case LeaseState::suspended:
      return "suspended";
    case LeaseState::lost:
      return "lost";
    case LeaseState::released:
      return "released";
  }
  return "";
}

std::string_view to_string(LossReason reason) noexcept {
  switch (reason) {
    case LossReason::suspended:
      return "suspended";
    case LossReason::expired:
      return "expired";
    case LossReason::evicted:
      return "evicted";
  }
  return "";
}

std::string_view to_string(ReleaseResult result) noexcept {
  switch (result) {
    case ReleaseResult::released:
      return "released";
    case ReleaseResult::already_lost:
      return "already lost";
    case ReleaseResult::invalid_after_fork:
      return "invalid after fork";
  }
  return "";
}

std::string_view to_string(Phase phase) noexcept {
  switch (phase) {
    case Phase::holding:
      return "holding";
    case Phase::draining:
      return "draining";
    case Phase::waiting:
      return "waiting";
    case Phase::leftover:
      return "leftover";
    case Phase::foreign:
      return "foreign";
  }
  return "";
}

std::string_view to_string(Liveness liveness) noexcept {
  switch (liveness) {
    case Liveness::unknown:
      return "unknown";
    case Liveness::alive:
      return "alive";
    case Liveness::dead:
      return "dead";
  }
  return "";
}

}  // namespace rwlease
