// A seed stands for one schedule, whatever was run before it.
#include "sim/simulation.hpp"

#include <gtest/gtest.h>

#include <map>

namespace rwlease::sim {
namespace {

constexpr std::uint64_t seeds = 200;

TEST(Replay, TheSameSeedGivesTheSameScheduleInAnyOrder) {
  Statistics statistics;
  Simulation simulation(statistics);
  std::map<std::uint64_t, std::uint64_t> digests;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) digests[seed] = simulation.run(seed).digest;
  for (std::uint64_t seed = seeds; seed >= 1; --seed) {
    EXPECT_EQ(simulation.run(seed).digest, digests[seed]) << "seed " << seed;
  }
}

TEST(Replay, OtherSeedsGiveOtherSchedules) {
  Statistics statistics;
  Simulation simulation(statistics);
  EXPECT_NE(simulation.run(1).digest, simulation.run(2).digest);
}

}  // namespace
}  // namespace rwlease::sim
