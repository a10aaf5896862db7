#include "protocol/names.hpp"
#include "softlock/scene.hpp"

#include <rwlease/softlock.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rwlease {
namespace {

using Seconds = SoftLockOptions::Seconds;

constexpr std::size_t longest_label = 128;
constexpr Seconds shortest_poll{0.001};
constexpr Seconds longest_poll{3600};

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidOptions("checking soft lock options", "", otherwise);
}

std::string text(Seconds duration) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g s", duration.count());
  return buffer;
}

bool is_duration(Seconds duration) { return std::isfinite(duration.count()) && duration >= Seconds(0); }

void check_stale(const SoftLockOptions& o) {
  require(is_duration(o.stale) && o.stale < protocol::longest_lease,
          "the stale age must be 0 (never) or more, and less than a day");
  require(o.stale == Seconds(0) || o.stale >= 4 * o.poll, "the stale age (" + text(o.stale) +
                                                              ") must be at least four polls (" + text(o.poll) +
                                                              " each), or a waiter could not see that nothing changed");
  require(is_duration(o.foreign_stale) && o.foreign_stale < protocol::longest_lease,
          "the foreign stale age must be 0 (never) or more, and less than a day");
  require(o.foreign_stale == Seconds(0) || o.foreign_stale >= std::max<Seconds>(softlock::step_limit, 4 * o.poll),
          "the foreign stale age (" + text(o.foreign_stale) + ") must be at least 3 s and four polls");
  const bool aged = o.stale > Seconds(0) || o.foreign_stale > Seconds(0);
  require(o.stale_rule == StaleRule::observed || aged, "the file age rule needs a stale age");
}

}  // namespace

std::string SoftLockOptions::effective_suffix() const {
  return suffix.value_or(primitive == Primitive::directory ? ".LOCK" : ".lock");
}

void SoftLockOptions::validate() const {
  require(is_duration(poll) && poll >= shortest_poll && poll <= longest_poll,
          "the poll interval (" + text(poll) + ") must be between 1 ms and an hour");
  require(!timeout || timeout->count() >= 0, "the timeout must not be negative");
  require(tries >= 0, "the number of tries must not be negative");
  require(tries == 0 || !timeout, "tries stand instead of a timeout: give one of them");
  check_stale(*this);
  require(is_duration(heartbeat) && (heartbeat == Seconds(0) || heartbeat >= Seconds(0.01)),
          "the heartbeat (" + text(heartbeat) + ") must be 0 (none) or at least 10 ms");
  require(heartbeat == Seconds(0) || stale == Seconds(0) || 2 * heartbeat <= stale,
          "the heartbeat (" + text(heartbeat) + ") must be at most half of the stale age (" + text(stale) +
              "), or one that is late would lose the lock");
  require(process >= 0, "the owner's process must not be negative");
  const bool plain = std::all_of(label.begin(), label.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  require(label.size() <= longest_label && plain, "the label must be at most 128 bytes of printable ASCII");
  require(effective_suffix().find_first_of(std::string("/\0", 2)) == std::string::npos,
          "the suffix must not contain a slash or a NUL byte");
  require(!single_host || primitive != Primitive::directory, "a directory has no line for a pid: no single_host");
}

std::string_view to_string(Primitive primitive) noexcept {
  switch (primitive) {
    case Primitive::hard_link:
      return "hard link";
    case Primitive::directory:
      return "directory";
    case Primitive::exclusive_file:
      return "exclusive file";
  }
  return "";
}

}  // namespace rwlease
