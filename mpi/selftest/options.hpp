// What the self-test was asked to do.
#pragma once

#include "breakage.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace rwlease::selftest {

struct Settings {
  std::string directory;
  std::chrono::milliseconds duration{120'000};  // of all phases together, about
  std::chrono::milliseconds lease{0};           // 0: choose by the duration and the file system's clock
  std::string json;                             // empty: none
  std::string plot;                             // empty: none; else it ends in .svg or .png
  Breakage breakage = Breakage::none;
  int pretended_nodes = 0;  // 0: the real ones
  bool help = false;
  bool version = false;
};

// Throws cli::BadUsage with one sentence.
Settings parse_settings(const std::vector<std::string>& arguments);

std::string help_text();

}  // namespace rwlease::selftest
