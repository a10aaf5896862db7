// An attempt to get a lease, advanced step by step by whoever waits for it.
#pragma once

#include "protocol/marker.hpp"
#include "protocol/site.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::protocol {

enum class Progress {
  held,  // granted: take() it
  wait,  // somebody is in the way: step again after a poll, or when something changed
};

// What a successful attempt hands over.
struct Grant {
  Marker marker;
  std::uint64_t fence = 0;
  std::vector<std::string> leftovers;  // hidden entries seen in readers/ that a crash may have left
};

// Does no waiting and starts no thread; keeps its own marker alive while it is stepped at least once an interval.
// Every exit withdraws: a step that throws has withdrawn before (and may be stepped again: it starts over), the
// destructor does too. One thread.
class Attempt {
 public:
  Attempt() = default;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  virtual ~Attempt() = default;

  // Throws Error when the file system refuses, DirectoryGone when the lock directory must be opened anew.
  virtual Progress step() = 0;

  // Once, after held.
  virtual Grant take() = 0;

  // Entries in the way at the last step, relative to the lock directory.
  virtual std::vector<std::string> in_the_way() const = 0;

  // What made the last step's look say nothing, where it failed: it may pass by itself, or last.
  virtual fs::Result trouble() const = 0;

  // Where a change ends the wait: the directory and the entry whose removal matters (empty: any).
  struct Awaited {
    std::string directory;
    std::string entry;
  };
  virtual Awaited awaited() const = 0;

  // When it wants to be stepped at the latest (boot clock), for its own heartbeat or because it is in the middle of a
  // long round of looks; nothing where a poll will do.
  virtual std::optional<Nanoseconds> next_beat() const = 0;
};

std::unique_ptr<Attempt> make_read_attempt(const Site& site);
std::unique_ptr<Attempt> make_write_attempt(const Site& site);

}  // namespace rwlease::protocol
