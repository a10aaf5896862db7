// What a phase counted and found, first on each rank, then of all ranks together.
#pragma once

#include "team.hpp"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace rwlease::selftest {

// The same on every rank.
struct PhaseResult {
  std::string name;
  bool skipped = false;
  double seconds = 0;
  std::uint64_t failures = 0;
  std::string first_failure;
  std::string note;  // what does not tell against the file system, but should be known
  std::vector<std::pair<std::string, std::uint64_t>> counts;
};

class PhaseLog {
 public:
  // `counts`: what is counted, the same on every rank.
  PhaseLog(std::string name, const std::vector<std::string>& counts);

  const std::string& name() const noexcept { return name_; }

  void count(const std::string& what, std::uint64_t number = 1);

  // Something that must not be. The number counts, the first text is told.
  void fail(const std::string& what, std::uint64_t number = 1);
  void note(const std::string& what);
  void skip(const std::string& why);

  // Runs file calls; what they throw is a failure. So one rank's trouble never leaves the others alone in a collective
  // call. Did it run through?
  template <class Act>
  bool guarded(Act act) {
    try {
      act();
      return true;
    } catch (const std::exception& error) {
      fail(error.what());
      return false;
    }
  }

  // Collective.
  PhaseResult summary(const Team& team, double seconds) const;

 private:
  std::string name_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t failures_ = 0;
  std::string first_failure_;
  std::string note_;
  bool skipped_ = false;
};

}  // namespace rwlease::selftest
