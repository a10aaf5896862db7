// What a participant's signs of life come down to.
#pragma once

#include <rwlease/status.hpp>

#include <chrono>
#include <string>

namespace rwlease::cli {

enum class Standing {
  alive,    // its process runs on this host, or its last heartbeat is younger than its lease
  suspect,  // no heartbeat for longer than its lease, by this host's clock: others may be about to evict it
  dead,     // its process is proven gone
  unknown,  // nothing to go by
};

const char* to_string(Standing standing) noexcept;

struct Judgement {
  Standing standing = Standing::unknown;
  std::string why;  // one clause; not yet made printable
};

Judgement judge(const Participant& participant, std::chrono::system_clock::time_point now);

}  // namespace rwlease::cli
