// The observer's rule: when may a marker that shows no life be taken for dead?
#pragma once

#include "fs/attributes.hpp"
#include "fs/clock.hpp"

#include <mutex>
#include <string>
#include <unordered_map>

namespace rwlease::protocol {

using fs::Nanoseconds;

// One forced look at a marker: what it showed, and the observer's clock around it.
struct Look {
  fs::Stamp stamp;
  Nanoseconds sent{};     // just before the question was sent
  Nanoseconds replied{};  // when the reply was there
};

// Remembers what forced looks have shown of each marker. It is shared by all attempts of a process on one lock
// directory, so that short attempts in a row add up. Any thread.
class Ledger {
 public:
  // True when the marker has shown the same stamp for `window`: in at least three looks, from the reply of the first
  // that showed it to just before the last was sent, no two of them further apart than a third of the window. A larger
  // gap starts over, so that after an outage the holder has time to speak first.
  bool observe(const std::string& name, const Look& look, Nanoseconds window);

  // The marker is gone, or somebody else's from now on.
  void forget(const std::string& name);

  std::size_t size() const;

 private:
  struct Watched {
    fs::Stamp stamp;
    Nanoseconds first_reply{};
    Nanoseconds last_reply{};
    Nanoseconds window{};
    int looks = 0;
  };

  void drop_forgotten(Nanoseconds now);

  mutable std::mutex mutex_;  // guards watched_
  std::unordered_map<std::string, Watched> watched_;
  std::size_t clear_at_ = 0;  // so many entries; doubles with those in use, so that clearing costs next to nothing
};

}  // namespace rwlease::protocol
