// A protocol that is broken on purpose is refused, for the right reason.
#include "job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rwlease::selftest::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Case {
  const char* name;
  int ranks;
  const char* phase;   // the first that must notice
  const char* reason;  // part of it
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class Breakage : public ::testing::TestWithParam<Case> {
 protected:
  Scratch scratch_;
};

TEST_P(Breakage, IsRefused) {
  const Case& broken = GetParam();
  const Outcome outcome =
      run(scratch_, mpiexec(broken.ranks, {"--minutes", "0.03", "--lease", "0.5", "--pretend-nodes", "2", "--break",
                                           broken.name, scratch_.tested(), "--json", scratch_.path("report.json")}));
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("REFUSED: " + scratch_.tested() + ": " + broken.phase + ": "));
  EXPECT_THAT(outcome.out, HasSubstr(broken.reason));
  EXPECT_TRUE(scratch_.tested_is_empty());
  const auto report = scratch_.read_json("report.json");
  EXPECT_EQ(report["verdict"], "refused");
  EXPECT_FALSE(report["reasons"].empty());
  EXPECT_EQ(report["settings"]["broken_on_purpose"], true);
}

INSTANTIATE_TEST_SUITE_P(Cases, Breakage,
                         ::testing::Values(Case{"claim", 2, "claims", "of 2 that claimed at once 2 won"},
                                           Case{"stale", 2, "freshness", "was not seen by a forced look"},
                                           Case{"heartbeat", 2, "heartbeat", "no heartbeat was seen for a whole lease"},
                                           Case{"preference", 3, "preference", "had claimed"},
                                           Case{"exclusion", 4, "exclusion",
                                                "held at the same time, both leases in force"},
                                           Case{"collective", 4, "crossing", "was granted while the communicator held"},
                                           Case{"eviction", 2, "eviction", "a holder that died was not evicted"}),
                         [](const auto& one) { return std::string(one.param.name); });

// Its own phase notices too, not only the one that comes first.
TEST_F(Breakage, OfCollectiveLeasesIsSeenUnderLoad) {
  const Outcome outcome = run(scratch_, mpiexec(4, {"--minutes", "0.03", "--lease", "0.5", "--break", "collective",
                                                    scratch_.tested(), "--json", scratch_.path("report.json")}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(scratch_.read_json("report.json")["reasons"].dump(), HasSubstr("each by communicator"));
}

TEST_F(Breakage, OfHeartbeatsGetsThoseEvictedWhoLive) {
  const Outcome outcome = run(scratch_, mpiexec(2, {"--minutes", "0.03", "--lease", "0.5", "--break", "heartbeat",
                                                    scratch_.tested(), "--json", scratch_.path("report.json")}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(scratch_.read_json("report.json")["reasons"].dump(), HasSubstr("that shows heartbeats was evicted"));
}

}  // namespace
}  // namespace rwlease::selftest::test
