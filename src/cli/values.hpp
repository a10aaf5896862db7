// What options were given, as values.
#pragma once

#include <boost/program_options/variables_map.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace rwlease::cli {

// An option's words, each turned into one value; BadUsage where it cannot. The options must live longer.
class Values {
 public:
  Values(std::string command, const boost::program_options::variables_map& options)
      : command_(std::move(command)), options_(options) {}

  bool has(const char* name) const { return options_.count(name) != 0; }
  std::optional<std::string> text(const char* name) const;
  std::optional<std::chrono::milliseconds> seconds(const char* name) const;
  std::optional<int> exit_code(const char* name) const;  // 0 to 255

 private:
  const std::string command_;
  const boost::program_options::variables_map& options_;
};

}  // namespace rwlease::cli
