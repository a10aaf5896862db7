// What `rwlease break` was asked for.
#pragma once

#include <rwlease/options.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

struct BreakRequest {
  enum class Whom { id, dead, all };

  std::string path;
  Whom whom = Whom::id;
  std::vector<std::string> ids;
  bool force = false;  // don't ask
  bool now = false;    // don't wait until it must have noticed
  Options options;
};

// Unset when help was asked for. Throws BadUsage.
std::optional<BreakRequest> parse_break(const std::vector<std::string>& arguments);

std::string break_help();

}  // namespace rwlease::cli
