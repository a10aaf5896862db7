// Looking at what stands at a lock's name: whose is it, and is that owner dead?
#pragma once

#include "softlock/content.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace rwlease::softlock {

enum class Standing { gone, present, dead };

struct Sighting {
  std::string path;  // relative to the directory
  Standing standing = Standing::gone;
  bool proven = false;  // dead on proof, whether that is trusted or not
  std::string why;      // it is dead, or its owner's liveness
  fs::Attributes attributes;
  Content content;
};

// Keeps what it read of each entry while that stays the same, so that a further look costs one question to the server.
// One thread.
class Inspector {
 public:
  explicit Inspector(const Scene& scene) : scene_(scene) {}

  // One forced look. Throws Error when it fails.
  Sighting look(const std::string& path);

  // The file with this token was this process's, which no longer means to own it.
  void abandon(const std::string& token) { abandoned_.insert(token); }

 private:
  const Content& content(const std::string& path, const fs::Attributes& attributes);
  void judge(Sighting& seen, const protocol::Look& look);
  bool proven_dead(Sighting& seen) const;
  bool too_old(const Sighting& seen);
  Nanoseconds window(const Sighting& seen) const;
  bool unfinished(const Sighting& seen) const;
  std::optional<Nanoseconds> server_time();

  struct Known {
    fs::Stamp stamp;
    Content content;
  };

  Scene scene_;
  std::map<std::string, Known> known_;
  std::set<std::string> abandoned_;
  std::optional<Nanoseconds> server_ahead_;  // of this host's boot clock
};

}  // namespace rwlease::softlock
