// Where a participant acts and who it is: what every step of the protocol needs.
#pragma once

#include "fs/clock.hpp"
#include "fs/directory.hpp"
#include "fs/host.hpp"
#include "protocol/ledger.hpp"
#include "protocol/names.hpp"
#include "protocol/record.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace rwlease::protocol {

enum class MarkerKind { symlink, file };

// The durations of one participant, already checked together.
struct Terms {
  Nanoseconds interval{};
  Nanoseconds lease{};
  Nanoseconds margin{};
};

enum class Severity { debug, info, warning };

// Cheap to copy; what it refers to outlives every step.
struct Site {
  fs::Directory* directory;
  const fs::Clock* clock;
  const fs::Host* host;
  Ledger* ledger;
  MarkerKind marker_kind = MarkerKind::symlink;
  bool group_shared = false;
  bool trust_proof_of_death = true;
  JobOracle job_oracle;  // empty: nobody is asked
  Terms terms;
  std::shared_ptr<const Record> self;  // all but the token
  std::function<void(Severity, const std::string&)> log;

  mode_t directory_mode() const { return group_shared ? 02770 : 0700; }
  mode_t file_mode() const { return group_shared ? 0660 : 0600; }
  std::string readers_path() const { return directory->path() + "/" + readers_name; }

  void say(Severity severity, const std::string& line) const {
    if (log) log(severity, line);
  }
};

// A fresh id for the next acquisition.
MarkerId new_id(const Site& site);

}  // namespace rwlease::protocol
