// Whether what is changed through one mount is seen through another of the same directory.
#pragma once

#include "probe/folder.hpp"

#include <functional>
#include <string>

namespace rwlease::probe {

struct Freshness {
  std::string changed;  // the directory through which entries were changed
  std::string looked;   // and the one through which they were looked at
  int looks = 0;
  int listings = 0;
  int failures = 0;
  std::string first_failure;
};

// `changed` and `looked` are one directory, this process's own, by two ways. `between` is called between two rounds and
// may throw.
Freshness test_between(const std::string& changed, const std::string& looked, MarkerKind kind,
                       const std::function<void()>& between);

}  // namespace rwlease::probe
