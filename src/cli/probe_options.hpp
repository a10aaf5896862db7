// What `rwlease probe` was asked for.
#pragma once

#include <boost/program_options/options_description.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

struct ProbeRequest {
  std::vector<std::string> directories;  // at least one
  bool json = false;
};

// Unset when help was asked for. Throws BadUsage.
std::optional<ProbeRequest> parse_probe(const std::vector<std::string>& arguments);

std::string probe_help();

boost::program_options::options_description probe_options();

}  // namespace rwlease::cli
