// Removing what stands at a name that others know, and only that.
#pragma once

#include "softlock/inspector.hpp"

#include <optional>
#include <string>

namespace rwlease::softlock {

enum class Removal {
  removed,
  changed,  // it is no longer what was seen; nothing was removed
  busy,     // somebody else has the right to remove it
  failed,   // the file system refused, or it took too long; nothing is known to have been removed
};

// No call removes a name only if it still means a certain file. So among all who want to remove one certain entry, one
// at a time has the right to: whoever made the hidden symlink `.rwlease.r.IDENTITY.0`. The identity is the token in
// the entry's record, which is never used twice, or for entries without one its stamp. While somebody has the right,
// what it has looked at cannot be exchanged, because nobody else removes it; so between its look and its removal no
// successor can have come.
//
//   1. make the right, rank 0; where it stands, and whoever made it is dead or has not acted for the window, rank 1,
//      and so on: the highest rank has the right
//   2. look: not what was seen: the right means nothing
//   3. no more than the step limit has passed since 1: remove
//   4. the entry is gone for good: remove the rights
//
// A right that was given up is removed only within the step limit, because after the window others count on it.
//
// What remains: a process that is stopped between 3's look at the clock and its removal for longer than the window; and
// owners and removers that know nothing of rights (other programs), within the round trip between 2 and 3.
class Remover {
 public:
  explicit Remover(const Scene& scene) : scene_(scene) {}

  // A file, or an empty directory. Throws Error when no right can be made.
  Removal remove(const Sighting& seen);

 private:
  std::optional<int> take_right(const std::string& base);
  bool make_right(const std::string& name);
  bool may_be_taken_over(const std::string& name);
  void drop_rights(const std::string& base, int from, int to);

  const Scene scene_;
};

}  // namespace rwlease::softlock
