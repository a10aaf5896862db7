// Until when an acquire may take.
#include <rwlease/deadline.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rwlease {
namespace {

using namespace std::chrono_literals;

TEST(DeadlineTest, NothingLeftIsOneTry) {
  EXPECT_TRUE(Deadline::after(0s).is_now());
  EXPECT_TRUE(Deadline::after(-1ns).is_now());
  EXPECT_TRUE(Deadline::after(std::chrono::hours::min()).is_now());
  EXPECT_TRUE(Deadline::after(std::chrono::duration<double>(std::nan(""))).is_now());
  EXPECT_TRUE(Deadline::after(std::chrono::duration<double>(-INFINITY)).is_now());
}

TEST(DeadlineTest, TooLongForTheClockIsForEver) {
  EXPECT_TRUE(Deadline::after(std::chrono::hours::max()).is_forever());
  EXPECT_TRUE(Deadline::after(std::chrono::nanoseconds::max()).is_forever());
  EXPECT_TRUE(Deadline::after(std::chrono::duration<double>(INFINITY)).is_forever());
  EXPECT_TRUE(Deadline::after(std::chrono::duration<double>(1e300)).is_forever());
}

TEST(DeadlineTest, AnythingElseIsThatFarFromNow) {
  const auto before = Deadline::Clock::now();
  const Deadline deadline = Deadline::after(std::chrono::duration<double>(1.5));
  const auto after = Deadline::Clock::now();
  EXPECT_FALSE(deadline.is_now());
  EXPECT_FALSE(deadline.is_forever());
  EXPECT_GE(deadline.when(), before + 1499ms);
  EXPECT_LE(deadline.when(), after + 1501ms);
}

TEST(DeadlineTest, CenturiesAreStillTime) { EXPECT_FALSE(Deadline::after(24h * 365 * 200).is_forever()); }

TEST(DeadlineTest, AGivenPointIsKept) {
  const auto when = Deadline::Clock::now() + 5s;
  EXPECT_EQ(Deadline::at(when).when(), when);
  EXPECT_TRUE(Deadline::forever().is_forever());
  EXPECT_TRUE(Deadline::now().is_now());
}

}  // namespace
}  // namespace rwlease
