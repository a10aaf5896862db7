// Who holds a lock, who claims it, what is left over: a report that changes nothing.
#pragma once

#include <rwlease/batch_job.hpp>
#include <rwlease/export.hpp>
#include <rwlease/lease.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease {

enum class Phase {
  holding,   // a reader's marker; a writer's when no reader is left
  draining,  // a writer that claimed and waits for readers to leave
  waiting,   // a writer's claim still in preparation, behind another writer
  leftover,  // a hidden entry in the middle of an own step, or left by a crash
  foreign,   // an entry that no rwlease made; it counts as a holder until removed
};

enum class Liveness {
  unknown,  // nothing is known beyond its last heartbeat
  alive,    // its process runs, here on this host
  dead,     // its process is gone, here on this host
};

RWLEASE_EXPORT std::string_view to_string(Phase) noexcept;
RWLEASE_EXPORT std::string_view to_string(Liveness) noexcept;

// One marker. Strings are empty and numbers 0 where the record does not say or cannot be read.
struct RWLEASE_EXPORT Participant {
  Phase phase = Phase::holding;
  Mode mode = Mode::read;
  std::string host;
  long pid = 0;
  std::optional<unsigned> uid;  // the marker's owner, as the file system has it
  std::string job;              // as it is called: "4711", "4711_3"
  BatchJob batch;               // what its environment said of it
  int ranks = 0;
  std::string label;
  std::chrono::milliseconds lease{0};
  std::chrono::system_clock::time_point since;           // by the holder's clock; the epoch: unknown
  std::chrono::system_clock::time_point last_heartbeat;  // by the file server's clock
  bool sole = false;
  bool readable = true;  // false: the record did not parse
  Liveness liveness = Liveness::unknown;
  std::string why;   // one clause for the liveness: "process 4711 is gone"
  std::string name;  // where it is, without its token: "readers/node07.4711"
  std::string id;    // for Breaker: host, pid and the token's beginning, "node07.4711.3fa9c1d2"; a foreign entry's name
};

// With what acquire() would refuse the lock directory as it is (UnsafeDirectory), with group sharing or without.
struct RWLEASE_EXPORT Refusal {
  std::string path;   // the directory, or what is in it
  std::string cause;  // empty: nothing to refuse was seen
};

struct RWLEASE_EXPORT Status {
  std::string directory;
  bool exists = false;      // false: nobody has used the lock yet, or it was removed
  std::uint64_t fence = 0;  // the newest write lease's number
  bool writer_stands = false;
  std::vector<Participant> participants;  // writers first
  std::vector<std::string> neighbours;    // files beside it that another lock program keeps for the same name
  Refusal refusal;                        // for the user who asks
};

}  // namespace rwlease
