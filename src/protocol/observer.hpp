// Looking at other participants' entries, and evicting those that are dead.
#pragma once

#include "protocol/site.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace rwlease::protocol {

enum class Finding {
  gone,     // not there any more: left, or evicted by somebody
  evicted,  // it was dead and this participant removed it
  present,  // there, and not provably dead; or the look failed and nothing is known
};

// Keeps what it read of each entry, so that a further look costs one question to the server. One thread.
class Observer {
 public:
  explicit Observer(const Site& site) : site_(site) {}

  // One forced look at the entry (relative to the lock directory); evicts it when its holder is dead: proven dead on
  // this host, or unchanged for its lease by the ledger's rule. Only ever removes this very name, which is never used
  // twice. An entry that no participant made is waited out with the own lease.
  Finding inspect(const std::string& path);

  // The same look by one who changes nothing: false for an entry that is not there or whose holder is dead.
  bool stands(const std::string& path);

  // A fresh listing shows the entry. When a look has said that it is not there, this client's cache is made to forget
  // that.
  void listed(const std::string& path);

  // What the last look failed with, if it did: then nothing is known.
  fs::Result trouble() const noexcept { return trouble_; }

  // How often an entry must be looked at for its window.
  Nanoseconds pace(const std::string& path) const;

  // What the entry's record says, read once; nothing when it cannot be had or disagrees with the entry's name.
  const std::optional<Record>& record(const std::string& path, const fs::Attributes& attributes);

 private:
  Finding look(const std::string& path, fs::Attributes& attributes, const char*& dead_because);
  bool proven_dead(const std::string& path, const fs::Attributes& attributes);
  bool job_is_over(const std::string& path, const fs::Attributes& attributes);
  Nanoseconds window(const std::string& path) const;
  void forget(const std::string& path);
  Finding evict(const std::string& path, const fs::Attributes& attributes, const char* why);

  Site site_;
  fs::Result trouble_;
  std::map<std::string, std::optional<Record>> records_;
  std::set<std::string> gone_;       // said to be by a look
  std::set<std::string> unmovable_;  // said once that they cannot be evicted
};

// One forced look at an entry, with the clock around it.
fs::Result forced_look(const Site& site, const std::string& path, fs::Attributes& attributes, Look& look);

// The record in the entry, if it is a marker; see Observer::record.
std::optional<Record> read_record(fs::Directory& directory, const std::string& path, const fs::Attributes& attributes);

// Whether the record proves that nobody can act under its lease any more, and why. What was `never_held` (a claim in
// preparation, a marker not yet published) was a lease of nobody, so its process alone counts.
struct DeathCheck {
  fs::ProcessState state = fs::ProcessState::unknown;
  std::string why;
};
DeathCheck check_death(const fs::Host& host, const Record& record, bool never_held = false);

// Hidden, or in a hidden directory.
bool never_held(std::string_view path);

// The last component of a path.
std::string_view base_name(std::string_view path);

}  // namespace rwlease::protocol
