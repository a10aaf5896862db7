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

struct RunRequest {
  std::string path;
  std::vector<std::string> command;  // at least one word
  Mode mode = Mode::write;
  std::optional<std::chrono::milliseconds> timeout;  // unset: for ever
  std::chrono::milliseconds grace{10'000};
  int timeout_exit_code = exit_not_obtained;
  Options options;  // validated; sole is what --local says, process_group is still 0

  Deadline deadline() const { return timeout ? Deadline::after(*timeout) : Deadline::forever(); }
};

// Unset when help was asked for. Throws BadUsage, InvalidOptions.
std::optional<RunRequest> parse_run(const std::vector<std::string>& arguments);

std::string run_help();

}  // namespace rwlease::cli
