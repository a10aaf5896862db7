// Probes directories.
#pragma once

#include "probe/findings.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace rwlease::probe {

// A signal asked to end it; nothing was left behind.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("ended by a signal"), signal_(signal) {}
  int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

// In a directory of its own below each, which it removes. The signals that note_signals() notes end it between two
// calls. Throws Interrupted, and other exceptions where a directory cannot be used at all.
Findings probe_directories(const std::vector<std::string>& directories);

}  // namespace rwlease::probe
