// What a run has met, for people.
#pragma once

#include "sim/statistics.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace rwlease::sim {

void print(std::ostream& out, const Statistics& statistics);

// Names of what a long run must have met and this one did not.
std::vector<std::string> never_met(const Statistics& statistics);

}  // namespace rwlease::sim
