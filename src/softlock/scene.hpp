// Where a soft lock is, and by which rules a participant acts there.
#pragma once

#include "protocol/site.hpp"

#include <algorithm>
#include <string>

namespace rwlease::softlock {

using fs::Nanoseconds;

// Hidden names in the lock's directory, the same for all locks there, so that a lock's own name may be of any length.
inline constexpr char own_prefix[] = ".rwlease.";
inline constexpr char private_prefix[] = ".rwlease.p.";  // plus a MarkerId: a hard_link's private file
inline constexpr char right_prefix[] = ".rwlease.r.";    // plus an identity and a rank: a right to remove (remover.hpp)

inline constexpr mode_t file_mode = 0644;
inline constexpr mode_t directory_mode = 01755;  // sticky: how an observer knows a directory that is not finished

// Between making the lock's name and being its owner lie calls that a crash can come between. Whoever makes it must be
// done within the limit, else it is not the owner; so what nobody has finished by the window belongs to nobody. The
// same holds for whoever has the right to remove a name.
inline constexpr Nanoseconds step_limit = std::chrono::seconds(3);
inline constexpr Nanoseconds step_window = std::chrono::seconds(10);

// Cheap to copy; what it refers to outlives every step.
struct Scene {
  protocol::Site site;  // of the directory that the lock's entry is in
  std::string name;     // the entry
  Nanoseconds stale{};  // 0: never, as in SoftLockOptions
  Nanoseconds foreign_stale{};
  Nanoseconds poll{};
  bool by_file_age = false;
  bool single_host = false;

  std::string path() const { return site.directory->path() + "/" + name; }

  // No more than the step limit has passed since then.
  bool in_time(Nanoseconds since) const { return site.clock->boot() - since < step_limit; }

  // A window in which waiters look often enough.
  Nanoseconds window() const { return std::max<Nanoseconds>(step_window, 5 * poll); }
};

}  // namespace rwlease::softlock
