// What `rwlease status` was asked for.
#pragma once

#include <boost/program_options/options_description.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

struct StatusRequest {
  std::vector<std::string> paths;  // at least one
  bool json = false;
  bool watch = false;
  std::chrono::milliseconds interval{2'000};
};

// Unset when help was asked for. Throws BadUsage.
std::optional<StatusRequest> parse_status(const std::vector<std::string>& arguments);

std::string status_help();

boost::program_options::options_description status_options();

}  // namespace rwlease::cli
