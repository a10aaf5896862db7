// Whether the calls that rwlease is made of do here what they must.
#pragma once

#include "probe/folder.hpp"

#include <string>
#include <vector>

namespace rwlease::probe {

struct Check {
  std::string name;
  bool passed = false;
  bool needed = true;    // false: rwlease works without it
  std::string observed;  // one clause: what happened instead, or what it means
};

// In the directory, which is this process's own. What it makes there it leaves.
std::vector<Check> check_calls(const std::string& directory, MarkerKind kind);

}  // namespace rwlease::probe
