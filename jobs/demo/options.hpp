// The command line of rwlease-demo.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace demo {

struct Options {
  std::string mode;  // write, check or rewrite
  std::filesystem::path lock;
  std::filesystem::path data;
  std::filesystem::path account;
  unsigned rounds = 1;
  unsigned parts = 4;
  std::uint64_t size = 0;  // bytes
  int ranks = 0;           // 0: any number
  double asked_at = 0;     // seconds since the epoch; 0: not told
  std::chrono::milliseconds interval{};
  std::chrono::milliseconds lease{};
};

// Empty when only help was asked for, which has then been printed. Throws std::exception with a sentence for the user.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace demo
