// All ranks of a test: who they are, where they work, and whether they saw the same.
//
// Every rank runs every test. A fatal failure on one rank (ASSERT, an exception that nobody caught) ends the whole run
// at once, because the others would wait for it in the next collective for ever.
#pragma once

#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

namespace rwlease::mpi::test {

int world_rank();
int world_size();
void barrier();

// One string from each rank, on every rank, in rank order.
std::vector<std::string> gather(const std::string& own);
std::vector<std::int64_t> gather(std::int64_t own);

// Rank 0's value, on every rank.
std::int64_t from_rank(int rank, std::int64_t own);

// Fails, naming the ranks, unless all ranks give the same text.
::testing::AssertionResult same_everywhere(const std::string& own);

// CLOCK_BOOTTIME in nanoseconds: all ranks and serial peers of one host read the same clock.
std::int64_t boot_now();

// Runs a call and says what came of it: "done", or the type, operation, path, cause and code of what it threw. The type
// is compared exactly.
template <class Call>
std::string outcome_of(Call&& call);
std::string describe_current_exception();

// A directory of its own for each test, the same on all ranks, removed afterwards.
class WorldTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::filesystem::path directory_;

 private:
  std::optional<rwlease::test::Scratch> scratch_;  // of rank 0
};

template <class Call>
std::string outcome_of(Call&& call) {
  try {
    call();
  } catch (...) {
    return describe_current_exception();
  }
  return "done";
}

}  // namespace rwlease::mpi::test
