// The self-test from the command line to the verdict.
#pragma once

#include <string>
#include <vector>

namespace rwlease::selftest {

constexpr int exit_certified = 0;
constexpr int exit_refused = 1;
constexpr int exit_usage = 2;  // wrongly called, or the directory cannot be used at all

// Collective over MPI_COMM_WORLD; the same result on all ranks.
int run(const std::vector<std::string>& arguments);

// One line on stderr. For rank 0, but for what ends a rank alone.
void say(const std::string& text) noexcept;

}  // namespace rwlease::selftest
