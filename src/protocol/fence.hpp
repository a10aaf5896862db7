// Fencing numbers: one for each write lease, ever growing.
#pragma once

#include "protocol/site.hpp"

#include <cstdint>
#include <vector>

namespace rwlease::protocol {

// Draws the next number for the one whose claim stands. `readers` is the listing of readers/ made right after an own
// change there since the claim. The number is good only if the lease is still in force afterwards. Throws Error,
// DirectoryGone.
std::uint64_t draw_fence(const Site& site, std::vector<fs::Entry> readers);

// The newest number among the entries of readers/; 0 for none.
std::uint64_t newest_fence(const std::vector<fs::Entry>& readers);

// Right after an own change of readers/: what it holds. Throws Error, DirectoryGone.
std::vector<fs::Entry> list_readers(const Site& site);

}  // namespace rwlease::protocol
