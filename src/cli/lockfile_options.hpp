// The command line of `rwlease lockfile`.
#pragma once

#include "run_options.hpp"

#include <rwlease/softlock.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

struct LockfileRequest {
  enum class Action { create, check, touch, remove, run };

  Action action = Action::check;
  std::string path;
  SoftLockOptions options;  // validated; the suffix is empty: the path is the lock's
  bool force = false;
  bool quiet = false;
  RunRequest run;  // with run
};

// Unset when help was asked for. Throws BadUsage, InvalidOptions.
std::optional<LockfileRequest> parse_lockfile(const std::vector<std::string>& arguments);

std::string lockfile_help();

}  // namespace rwlease::cli
