// Clearing away what crashes left behind.
#pragma once

#include "protocol/observer.hpp"

#include <set>
#include <string>
#include <vector>

namespace rwlease::protocol {

// Looks at hidden entries that a crash may have left, and removes those whose owner is dead by the same rules as for
// markers. A writer does it while it holds. One thread.
class Sweep {
 public:
  explicit Sweep(const Site& site) : site_(site), observer_(site) {}

  // Hidden entries seen, relative to the lock directory.
  void add(const std::vector<std::string>& leftovers);

  // Adds the hidden entries of the lock directory itself.
  void add_from_lock_directory();

  // Looks at some of them, in turn, so that a heartbeat behind it need not wait long. False when none is left.
  bool look();

  // When the next call is due after this one: soon while the round goes on, else so that their windows go on.
  Nanoseconds pace() const;

 private:
  bool done_with(const std::string& path);

  Site site_;
  Observer observer_;
  std::set<std::string> leftovers_;
  std::string last_;  // looked at in this round; empty between rounds
};

}  // namespace rwlease::protocol
