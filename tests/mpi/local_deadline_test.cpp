// The deadline that a rank keeps by its own clocks, with the clocks given.
#include "local_deadline.hpp"

#include <gtest/gtest.h>

namespace rwlease::mpi::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t second = 1'000'000'000;

Instant after(Instant start, std::int64_t real, std::int64_t boot) { return {start.real + real, start.boot + boot}; }

class LocalDeadlineTest : public ::testing::Test {
 protected:
  const Instant start_{1'700'000'000 * second, 5'000 * second};
  LocalDeadline deadline_;
};

TEST_F(LocalDeadlineTest, NothingIsGrantedAtFirst) { EXPECT_EQ(deadline_.remaining(start_), 0ns); }

TEST_F(LocalDeadlineTest, RunsFromTheReadingBeforeTheBarrier) {
  deadline_.grant(start_, 60s, 9s);
  EXPECT_EQ(deadline_.remaining(start_), 60s);
  EXPECT_EQ(deadline_.remaining(after(start_, 20 * second, 20 * second)), 40s);
  EXPECT_EQ(deadline_.remaining(after(start_, 60 * second, 60 * second - 1)), 1ns);
  EXPECT_EQ(deadline_.remaining(after(start_, 60 * second, 60 * second)), 0ns);
}

TEST_F(LocalDeadlineTest, APausedMachineCountsAsPassed) {
  deadline_.grant(start_, 60s, 9s);
  EXPECT_EQ(deadline_.remaining(after(start_, 10 * second, second)), 59s) << "within the margin";
  EXPECT_EQ(deadline_.remaining(after(start_, 10 * second + 1, second)), 0ns);
}

TEST_F(LocalDeadlineTest, ARealClockSetBackDoesNotMatter) {
  deadline_.grant(start_, 60s, 9s);
  EXPECT_EQ(deadline_.remaining(after(start_, -3600 * second, second)), 59s);
  EXPECT_EQ(deadline_.remaining(after(start_, -3600 * second, 60 * second)), 0ns);
}

TEST_F(LocalDeadlineTest, ANewGrantStartsAfresh) {
  deadline_.grant(start_, 60s, 9s);
  const Instant paused = after(start_, 100 * second, second);
  EXPECT_EQ(deadline_.remaining(paused), 0ns);
  deadline_.grant(paused, 60s, 9s);
  EXPECT_EQ(deadline_.remaining(after(paused, second, second)), 59s);
}

TEST_F(LocalDeadlineTest, RevokedIsOver) {
  deadline_.grant(start_, 60s, 9s);
  deadline_.revoke();
  EXPECT_EQ(deadline_.remaining(start_), 0ns);
}

TEST_F(LocalDeadlineTest, TheClocksOfThisHostGoOn) {
  const Instant first = Instant::now();
  const Instant second_reading = Instant::now();
  EXPECT_GT(first.boot, 0);
  EXPECT_GE(second_reading.boot, first.boot);
}

}  // namespace
}  // namespace rwlease::mpi::detail
