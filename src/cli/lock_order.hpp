// The order in which several locks are taken.
#pragma once

#include <rwlease/lease.hpp>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace rwlease::cli {

struct LockPlace {
  std::filesystem::path name;  // absolute
  Mode mode;
};

// Indices of the places in an order that depends on the locks alone: not on how their paths are spelled, nor on
// symlinks on the way, nor on where a host has mounted their file system, unless the paths differ in that part only.
// All who take locks in this order never wait for each other in a circle. Looks the directories up. Throws UsageError
// where one lock is there in both modes.
std::vector<std::size_t> fixed_order(const std::vector<LockPlace>& places);

}  // namespace rwlease::cli
