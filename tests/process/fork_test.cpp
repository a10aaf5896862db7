// A holder that forks: the child holds nothing, the parent all.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/fork_safety.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace rwlease::test {
namespace {

class Fork : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const char* why = why_no_fork_beside_threads()) GTEST_SKIP() << why;
  }

  const std::string mode_ = GetParam();
  Scratch scratch_;
  Participant parent_{scratch_ / "x", long_lease};
};

TEST_P(Fork, ChildHoldsNothingAndMayAcquireAnew) {
  parent_.ask("acquire " + mode_);
  parent_.ask("fork check write");
  EXPECT_EQ(parent_.await("child-looked").text, "valid=no verify=no release=invalid after fork");
  EXPECT_EQ(parent_.await("child-tried").text, "busy");
  EXPECT_FALSE(parent_.hear("child-entered", std::chrono::milliseconds(200)));
  EXPECT_EQ(parent_.ask("verify"), "yes");
  EXPECT_EQ(parent_.ask("release"), "released");
  EXPECT_EQ(parent_.await("child-entered").text, "yes");
}

TEST_P(Fork, ChildThatExitsLeavesTheParentsLease) {
  parent_.ask("acquire " + mode_);
  EXPECT_EQ(parent_.ask("fork exit"), "0");
  EXPECT_EQ(parent_.ask("verify"), "yes");
  EXPECT_EQ(parent_.ask("release"), "released");
}

TEST_P(Fork, UnwindingInTheChildDoesNothing) {
  parent_.ask("acquire " + mode_);
  parent_.ask("acquire " + mode_);
  EXPECT_EQ(parent_.ask("fork unwind"), "0");
  EXPECT_EQ(parent_.ask("verify"), "yes");
  EXPECT_EQ(parent_.ask("release"), "released");
  EXPECT_EQ(parent_.ask("verify"), "yes");
}

TEST_P(Fork, ParentGoesOnBeating) {
  Participant parent(scratch_ / "x", short_lease + Words{"tell=beat"});
  parent.ask("acquire " + mode_);
  EXPECT_EQ(parent.ask("fork exit"), "0");
  while (parent.hear("point", std::chrono::milliseconds(0))) {
  }
  parent.await("point");
  EXPECT_EQ(parent.ask("valid"), "yes");
}

// The child's own reentrancy, and two generations.
TEST_P(Fork, ReadersShareAcrossAFork) {
  parent_.ask("acquire read");
  parent_.ask("fork check read");
  EXPECT_EQ(parent_.await("child-tried").text, "held");
  EXPECT_EQ(parent_.await("child-entered").text, "yes");
  EXPECT_EQ(parent_.ask("verify"), "yes");
}

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Mode, Fork, testing::Values("read", "write"), name_of);

}  // namespace
}  // namespace rwlease::test
