// The simulation catches what it is there to catch: each deliberate fault in the protocol within a few thousand seeds.
#include "sim/simulation.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rwlease::sim {
namespace {

constexpr std::uint64_t most_seeds = 8000;

// Long holds, others that wait, and holders that are away for about a lease.
void be_away(Plan& plan) {
  plan.contended = true;
  plan.faults_left = 0;
  plan.incidents = {{20, Incident::stop}, {40, Incident::cut_off}, {60, Incident::stop}, {80, Incident::cut_off}};
}

// A reader that is away comes back about when a writer comes, which lists slowly; there has been a writer before.
void come_back(Plan& plan) {
  plan.faults_left = 0;
  plan.incidents = {{18, Incident::stop}};
  plan.opening_matters = false;
  plan.file_markers = false;
  plan.chunk = 1;
  plan.uneven = true;
  plan.shortest_latency = millisecond;
  plan.longest_latency = 3 * second;
  plan.machines = 2;
  plan.processes.resize(2);
  PlannedProcess& reader = plan.processes[0];
  PlannedProcess& writer = plan.processes[1];
  reader.machine = 0;
  writer.machine = 1;
  reader.threads = writer.threads = 1;
  reader.options.lease = writer.options.lease = std::chrono::seconds(30);
  reader.options.margin = writer.options.margin = std::chrono::seconds(3);
  reader.options.poll_max = writer.options.poll_max = std::chrono::seconds(5);
  reader.options.renew = true;
  reader.mode = Mode::read;
  writer.mode = Mode::write;
  reader.rounds = 1;
  writer.rounds = 2;
  reader.arrivals = {{25 * second, 25 * second}};
  writer.arrivals = {{0, second}, {55 * second, 85 * second}};
  reader.holds = Span{200 * second, 200 * second};
  writer.holds = Span{0, 0};
}

struct Caught {
  Variant variant;
  std::set<Violation> as;
  Simulation::Adjust adjust = nullptr;
};

class VariantTest : public ::testing::TestWithParam<Caught> {};

TEST_P(VariantTest, IsCaught) {
  Statistics statistics;
  Simulation simulation(statistics);
  for (std::uint64_t seed = 1; seed <= most_seeds; ++seed) {
    const Outcome outcome = simulation.run(seed, GetParam().variant, GetParam().adjust);
    if (outcome.good()) continue;
    EXPECT_EQ(GetParam().as.count(outcome.violation), 1U) << "seed " << seed << ": " << outcome.description;
    EXPECT_EQ(simulation.run(seed, GetParam().variant, GetParam().adjust).digest, outcome.digest);
    EXPECT_TRUE(simulation.run(seed, Variant::none, GetParam().adjust).good()) << "seed " << seed << " without it";
    return;
  }
  FAIL() << "not within " << most_seeds << " seeds";
}

std::string name_of_parameter(const ::testing::TestParamInfo<Caught>& info) {
  std::string name = to_string(info.param.variant);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Each, VariantTest,
    ::testing::Values(Caught{Variant::plain_look, {Violation::early_eviction, Violation::exclusion}},
                      Caught{Variant::plain_lookup, {Violation::late_entry, Violation::exclusion}},
                      Caught{Variant::held_listing, {Violation::stuck, Violation::exclusion}},
                      Caught{Variant::check_before_publish, {Violation::late_entry, Violation::exclusion}},
                      Caught{Variant::fixed_name_eviction, {Violation::early_eviction, Violation::exclusion}},
                      Caught{Variant::touch_as_renewal, {Violation::exclusion, Violation::release}, be_away},
                      Caught{Variant::renewal_without_look, {Violation::exclusion}, come_back},
                      Caught{Variant::early_eviction, {Violation::early_eviction, Violation::exclusion}}),
    name_of_parameter);

}  // namespace
}  // namespace rwlease::sim
