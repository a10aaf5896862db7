// Heartbeats that the file system refuses: the holder is told by its own clock.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

namespace rwlease::test {
namespace {

class RefusedHeartbeat : public testing::TestWithParam<const char*> {};

TEST_P(RefusedHeartbeat, EndsTheLeaseAtItsDeadline) {
  const Scratch scratch;
  Participant holder(scratch / "x", short_lease + Words{"renew=0", "refuse=beat"});
  const auto entered = holder.ask_when(std::string("acquire ") + GetParam()).at;
  holder.ask("watch");
  const Line lost = holder.await("lost");
  EXPECT_EQ(lost.text, "expired");
  EXPECT_EQ(holder.ask("valid"), "no");
  // Told before anybody may evict; the slack is for a busy machine.
  EXPECT_LT(lost.at - entered, std::chrono::milliseconds(short_lease_ms + 1000));
  EXPECT_EQ(holder.ask("release"), "already lost");
}

TEST_P(RefusedHeartbeat, SuccessorEntersAfterTheHolderWasTold) {
  const Scratch scratch;
  Participant holder(scratch / "x", short_lease + Words{"renew=0", "refuse=beat"});
  Participant next(scratch / "x", short_lease);
  holder.ask(std::string("acquire ") + GetParam());
  holder.ask("watch");
  const auto entered = next.ask_when("acquire write").at;
  EXPECT_LT(holder.await("lost").at, entered);
}

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Mode, RefusedHeartbeat, testing::Values("read", "write"), name_of);

}  // namespace
}  // namespace rwlease::test
