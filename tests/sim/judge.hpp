// What must be true at every step.
#pragma once

#include "sim/server.hpp"

#include <rwlease/lease.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rwlease::sim {

struct Process;
struct World;

enum class Violation {
  none,
  exclusion,       // two that exclude each other were in force at once
  fence,           // a write lease's number was not greater than all before
  late_entry,      // a reader got in that came after a claim
  early_eviction,  // of one that could still be in force
  untold,          // a holder was not told in time that its lease is not in force
  release,         // a release said that the lease was in force to the end, and it was not
  error,           // an acquire failed though nothing had gone wrong
  stuck,           // somebody waits though nothing is in the way
  leftover,        // something stayed behind that nobody can have left
};
const char* to_string(Violation violation);

// A lease as its holder sees it.
struct Held {
  const Lease* lease = nullptr;
  Mode mode = Mode::read;
  const Process* process = nullptr;
  Handle lock_directory = no_handle;
  Time over_since = never;  // since when it is not in force, as far as seen
  bool told = false;        // of the last time that it was not
};

class Judge final : public ServerWatch {
 public:
  explicit Judge(World& world) : world_(world) {}

  void restart();

  // Who holds, from the grant to just before the release.
  // To the task that runs; acquired, or by a downgrade.
  void granted(Held& held, bool acquired);
  void released(Held& held, ReleaseResult result, bool was_valid);
  void forget(Held& held);

  // A process with leases under which others may go on working was killed: they count until they run out.
  void process_dies(const Process& process);

  void check();
  void found(Violation violation, const std::string& what);

  Violation violation() const { return violation_; }
  const std::string& description() const { return description_; }

  void removing(std::string_view name, Handle directory, const Node& node, const Request& request) override;
  void published(Handle handle, const Request& request) override;
  bool in_force(const Node& node) const override;

 private:
  struct Ghost {
    Mode mode;
    const Process* process;
    Handle lock_directory;
    Time died;
    Time remaining;  // by its machine's clock
  };

  void check_exclusion();
  void check_fence(const Held& held);
  void check_told(Held& held);
  bool excludes(Mode a, Mode b) const { return a == Mode::write || b == Mode::write; }

  World& world_;
  Violation violation_ = Violation::none;
  std::string description_;
  std::vector<Held*> held_;
  std::vector<Ghost> ghosts_;
  std::uint64_t greatest_fence_ = 0;
  Handle greatest_in_ = no_handle;  // the lock directory
};

}  // namespace rwlease::sim
