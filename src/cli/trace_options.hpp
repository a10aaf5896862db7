// What `rwlease trace` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

struct TraceRequest {
  std::vector<std::string> logs;  // at least one
  std::optional<std::string> chrome;
};

// Unset when help was asked for. Throws BadUsage.
std::optional<TraceRequest> parse_trace(const std::vector<std::string>& arguments);

std::string trace_help();

}  // namespace rwlease::cli
