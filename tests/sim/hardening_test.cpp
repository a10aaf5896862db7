// How locks of this kind have failed: schedules that provoke just that, and it does not happen.
#include "sim/simulation.hpp"

#include <gtest/gtest.h>

namespace rwlease::sim {
namespace {

constexpr std::uint64_t seeds = 1500;

class HardeningTest : public ::testing::Test {
 protected:
  void run(const Simulation::Adjust& adjust) {
    Simulation simulation(met_);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Outcome outcome = simulation.run(seed, Variant::none, adjust);
      ASSERT_TRUE(outcome.good()) << "seed " << seed << ": " << outcome.description;
    }
    EXPECT_GT(met_.reads + met_.writes, seeds);
  }

  std::uint64_t met(Fault fault) const { return met_.faults[static_cast<std::size_t>(fault)]; }
  std::uint64_t met(Incident incident) const { return met_.incidents[static_cast<std::size_t>(incident)]; }

  // Before these requests, and nothing else goes wrong.
  static void only(Plan& plan, std::vector<PlannedIncident> incidents) {
    plan.faults_left = 0;
    plan.incidents = std::move(incidents);
  }

  static void only(Plan& plan, Fault first, Fault second) {
    plan.incidents.clear();
    plan.faults_left = 6;
    plan.fault_one_in = 4;
    plan.fault_choices = 2;
    plan.faults[0] = first;
    plan.faults[1] = second;
  }

  Statistics met_;
};

TEST_F(HardeningTest, AHolderThatDiesAnywhereBlocksNobody) {
  run([n = 0U](Plan& plan) mutable { only(plan, {{1 + n++ % 60, Incident::kill}, {1 + n % 90, Incident::crash}}); });
  EXPECT_GT(met(Incident::kill), 0U);
  EXPECT_GT(met(Incident::crash), 0U);
  EXPECT_GT(met_.evictions, 0U);
}

TEST_F(HardeningTest, AMarkerIsCompleteWhenItIsPublished) {
  run([](Plan& plan) { plan.file_markers = true; });
  EXPECT_GT(met_.evictions, 0U);
}

TEST_F(HardeningTest, StaleListingsLetNobodyInBesideAnother) {
  run([](Plan& plan) {
    plan.attributes_last = 600 * second;
    plan.asks_at_open = false;
    plan.forgets_one_in = 0;
    plan.chunk = 1;
    only(plan, {});
  });
  EXPECT_GT(met_.stale_names, 0U);
  EXPECT_GT(met_.stale_listings, 0U);
  EXPECT_GT(met_.torn_listings, 0U);
}

TEST_F(HardeningTest, AnEvictionThatRacesWithALateHeartbeatHitsNobody) {
  run([n = 0U](Plan& plan) mutable {
    plan.contended = true;
    only(plan, {{1 + n++ % 60, Incident::stop}, {1 + n % 90, Incident::cut_off}});
  });
  EXPECT_GT(met_.evictions, 0U);
  EXPECT_GT(met_.renewals, 0U);
}

TEST_F(HardeningTest, ClocksFarApartMeanNothing) {
  run([n = 0U](Plan& plan) mutable {
    plan.machines = static_cast<int>(plan.processes.size());
    for (std::size_t i = 0; i < plan.processes.size(); ++i) plan.processes[i].machine = static_cast<int>(i);
    only(plan, {{1 + n++ % 60, Incident::set_clock}, {1 + n % 60, Incident::set_clock}});
  });
  EXPECT_GT(met(Incident::set_clock), 0U);
}

TEST_F(HardeningTest, APeerWithAShorterLeaseEvictsNobodyAlive) {
  run([](Plan& plan) {
    plan.contended = true;
    plan.processes[0].options.lease = std::chrono::seconds(60);
    plan.processes[1].options.lease = std::chrono::seconds(20);
    plan.processes[1].options.margin = std::chrono::seconds(2);
    plan.processes[1].options.poll_max = std::chrono::seconds(2);
    only(plan, {});
  });
}

TEST_F(HardeningTest, AnErrorAnywhereLeavesNothingBehindForLong) {
  run([](Plan& plan) { only(plan, Fault::refused, Fault::full); });
  EXPECT_GT(met(Fault::refused), 0U);
  EXPECT_GT(met(Fault::full), 0U);
  EXPECT_GT(met_.cancelled, 0U);
  EXPECT_GT(met_.timeouts, 0U);
}

TEST_F(HardeningTest, ALateEvictionHitsNoSuccessor) {
  run([n = 0U](Plan& plan) mutable {
    only(plan, Fault::late, Fault::slow_request);
    plan.incidents = {{1 + n++ % 40, Incident::kill}};
  });
  EXPECT_GT(met(Fault::late), 0U);
  EXPECT_GT(met_.evictions, 0U);
}

TEST_F(HardeningTest, ALockDirectoryThatIsRemovedIsMadeAnew) {
  run([n = 0U](Plan& plan) mutable { only(plan, {{1 + n++ % 60, Incident::remove_all}}); });
  EXPECT_GT(met(Incident::remove_all), 0U);
  EXPECT_GT(met_.losses, 0U);
}

TEST_F(HardeningTest, AHolderThatIsCutOffIsToldInTime) {
  run([n = 0U](Plan& plan) mutable {
    plan.contended = true;
    only(plan, {{1 + n++ % 60, Incident::cut_off}, {1 + n % 90, Incident::reboot}});
  });
  EXPECT_GT(met_.suspensions, 0U);
  EXPECT_GT(met_.losses, 0U);
}

TEST_F(HardeningTest, LeftoversAreClearedAway) {
  run([n = 0U](Plan& plan) mutable {
    only(plan, Fault::late, Fault::reply_lost);
    plan.incidents = {{1 + n++ % 60, Incident::crash}};
  });
  EXPECT_GT(met_.swept, 0U);
}

TEST_F(HardeningTest, LostRepliesAreUnderstood) {
  run([](Plan& plan) { only(plan, Fault::repeated, Fault::reply_lost); });
  EXPECT_GT(met(Fault::repeated), 0U);
  EXPECT_GT(met(Fault::reply_lost), 0U);
}

TEST_F(HardeningTest, AnUnreadableRecordBlocksNobodyForLong) {
  run([n = 0U](Plan& plan) mutable {
    plan.file_markers = true;
    only(plan, {{1 + n++ % 30, Incident::crash}, {1 + n % 40, Incident::kill}});
  });
  EXPECT_GT(met(Incident::crash), 0U);
}

TEST_F(HardeningTest, ManyEvictorsLetOneWriterIn) {
  run([n = 0U](Plan& plan) mutable {
    while (plan.processes.size() < 4) plan.processes.push_back(plan.processes.back());
    plan.contended = true;
    only(plan, {{10 + n++ % 30, Incident::kill}});
  });
  EXPECT_GT(met_.evictions, 0U);
}

}  // namespace
}  // namespace rwlease::sim
