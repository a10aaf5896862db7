// Where all is well it certifies, says for what, and leaves nothing behind.
#include "job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace rwlease::selftest::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Words soon{"--minutes", "0.03", "--lease", "1"};

Words with(const Words& more, const Words& words = soon) {
  Words all = words;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::map<std::string, nlohmann::json> phases_of(const nlohmann::json& report) {
  std::map<std::string, nlohmann::json> phases;
  for (const auto& phase : report["phases"]) phases[phase["name"]] = phase;
  return phases;
}

class Verdict : public ::testing::TestWithParam<int> {
 protected:
  Scratch scratch_;
};

TEST_P(Verdict, CertifiesALocalDirectory) {
  const int ranks = GetParam();
  const Outcome outcome =
      run(scratch_, mpiexec(ranks, with({scratch_.tested(), "--json", scratch_.path("report.json")})));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("CERTIFIED for this host only, "));
  EXPECT_THAT(outcome.out, HasSubstr(std::to_string(ranks) + " ranks on 1 node"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << "one line, and nothing else on stdout";
  EXPECT_TRUE(scratch_.tested_is_empty());

  const auto report = scratch_.read_json("report.json");
  EXPECT_EQ(report["verdict"], "certified");
  EXPECT_EQ(report["scope"], "one host");
  EXPECT_EQ(report["ranks"], ranks);
  for (const auto& [name, phase] : phases_of(report)) {
    const bool too_few = name == "collective" && ranks < 3;
    EXPECT_EQ(phase["outcome"], too_few ? "skipped" : "passed") << name;
    EXPECT_EQ(phase["failures"], 0) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Verdict, ::testing::Values(2, 4, 8),
                         [](const auto& ranks) { return "Of" + std::to_string(ranks.param); });

class Report : public ::testing::Test {
 protected:
  Scratch scratch_;
};

TEST_F(Report, HasTheDocumentedKeys) {
  const Outcome outcome = run(
      scratch_, mpiexec(4, with({"--pretend-nodes", "2", scratch_.tested(), "--json", scratch_.path("report.json")})));
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("CERTIFIED: " + scratch_.tested() + ": 4 ranks on 2 nodes"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("one host")));

  const auto report = scratch_.read_json("report.json");
  EXPECT_EQ(report["schema"], "rwlease-selftest/1");
  EXPECT_EQ(report["scope"], "nodes");
  std::vector<std::string> keys;
  for (const auto& item : report.items()) keys.push_back(item.key());
  EXPECT_THAT(keys, ::testing::UnorderedElementsAre("schema", "verdict", "scope", "reasons", "notes", "directory",
                                                    "started", "seconds", "rwlease", "mpi", "ranks", "nodes",
                                                    "settings", "file_system", "phases", "operations", "holds"));
  ASSERT_EQ(report["nodes"].size(), 2U);
  EXPECT_EQ(report["nodes"][1]["host"], "pretended-1");
  EXPECT_EQ(report["nodes"][1]["ranks"], 2);
  EXPECT_LT(std::abs(report["nodes"][1]["clock_offset_seconds"].get<double>()), 1.0) << "one clock for all here";

  auto phases = phases_of(report);
  EXPECT_GT(phases["exclusion"]["counts"]["reads"], 0);
  EXPECT_GT(phases["exclusion"]["counts"]["writes"], 0);
  EXPECT_GT(phases["freshness"]["counts"]["looks"], 0);
  EXPECT_GT(phases["heartbeat"]["counts"]["heartbeats_seen"], 0);
  EXPECT_FALSE(report["holds"].empty());
  std::uint64_t hand_offs = 0;
  for (const auto& operation : report["operations"]) {
    std::uint64_t sum = 0;
    for (const auto& bucket : operation["histogram"]) sum += bucket[1].get<std::uint64_t>();
    EXPECT_EQ(operation["count"], sum) << operation["operation"];
    if (operation["operation"] == "hand_off") hand_offs = sum;
  }
  EXPECT_GT(hand_offs, 0U);
}

TEST_F(Report, IsDrawnWhereGnuplotIs) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  for (const auto& [name, start] : {std::pair<const char*, const char*>{"p.svg", "<?xml"}, {"p.png", "\x89PNG"}}) {
    const Outcome outcome = run(scratch_, mpiexec(2, with({scratch_.tested(), "--plot", scratch_.path(name)})));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(scratch_.read(name), StartsWith(start)) << outcome.err;
  }
}

TEST_F(Report, SaysWhenThereIsNoGnuplot) {
  Words words = mpiexec(2, with({scratch_.tested(), "--plot", scratch_.path("p.svg")}));
  const auto program = std::find(words.begin(), words.end(), RWLEASE_SELFTEST_PROGRAM);
  words.insert(program, {"/usr/bin/env", "PATH=/nonexistent"});
  const Outcome outcome = run(scratch_, words);
  EXPECT_EQ(outcome.code, 0) << "it tells nothing against the directory";
  EXPECT_THAT(outcome.err, HasSubstr("gnuplot is not installed"));
  EXPECT_THAT(outcome.out, StartsWith("CERTIFIED"));
}

}  // namespace
}  // namespace rwlease::selftest::test
