// What `rwlease run` was asked for.
#pragma once

#include <rwlease/deadline.hpp>
#include <rwlease/lease.hpp>
#include <rwlease/options.hpp>

#include "exit_codes.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

// What happens to the command when the lease is lost.
enum class OnLoss {
  term,  // TERM, and KILL after the grace period
  kill,  // KILL at once
  warn,  // it goes on; only the exit code tells
};

struct WantedLock {
  std::string path;
  Mode mode = Mode::write;
};

struct RunRequest {
  std::vector<WantedLock> locks;     // at least one; in the order they were named
  std::vector<std::string> command;  // at least one word
  OnLoss on_loss = OnLoss::term;
  std::optional<std::string> fence_file;
  std::optional<std::chrono::milliseconds> timeout;  // unset: for ever
  std::chrono::milliseconds grace{10'000};
  int timeout_exit_code = exit_not_obtained;
  Options options;  // validated; sole is what --local says, process_group is still 0

  Deadline deadline() const { return timeout ? Deadline::after(*timeout) : Deadline::forever(); }

  // For messages: "/scratch/x", "/scratch/x and 2 more".
  std::string names() const;
};

// Unset when help was asked for. Throws BadUsage, InvalidOptions.
std::optional<RunRequest> parse_run(const std::vector<std::string>& arguments);

std::string run_help();

}  // namespace rwlease::cli
