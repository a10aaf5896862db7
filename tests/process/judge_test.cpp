// The judge of the other tests, with made-up holds.
#include "process/support/judge.hpp"

#include <gtest/gtest.h>

namespace rwlease::test {
namespace {

using std::chrono::nanoseconds;

Hold reads(int entered, int left) {
  return {false, nanoseconds(entered), nanoseconds(entered), nanoseconds(left), "r"};
}
Hold writes(int entered, int left) {
  return {true, nanoseconds(entered), nanoseconds(entered), nanoseconds(left), "w"};
}

TEST(Judge, FindsNothingInOneAfterTheOther) {
  EXPECT_TRUE(excluding_overlaps({writes(0, 10), reads(10, 20), reads(15, 30), writes(30, 40)}).empty());
}

TEST(Judge, FindsNothingInNothing) { EXPECT_TRUE(excluding_overlaps({}).empty()); }

TEST(Judge, LetsReadersShare) {
  const std::vector<Hold> holds = {reads(0, 10), reads(5, 15), reads(9, 20)};
  EXPECT_TRUE(excluding_overlaps(holds).empty());
  EXPECT_EQ(shared_reads(holds), 3U);
}

TEST(Judge, FindsAWriterAmongReaders) {
  const auto overlaps = excluding_overlaps({reads(0, 10), writes(9, 12)});
  ASSERT_EQ(overlaps.size(), 1U);
  EXPECT_FALSE(overlaps[0].first.writes);
  EXPECT_TRUE(overlaps[0].second.writes);
}

TEST(Judge, FindsAReaderWithinAWriter) { EXPECT_EQ(excluding_overlaps({writes(0, 100), reads(40, 50)}).size(), 1U); }

TEST(Judge, FindsTwoWriters) { EXPECT_EQ(excluding_overlaps({writes(0, 10), writes(5, 6)}).size(), 1U); }

TEST(Judge, FindsEveryPairWhateverTheOrder) {
  const auto overlaps = excluding_overlaps({writes(50, 60), reads(0, 100), writes(10, 20), reads(15, 55)});
  EXPECT_EQ(overlaps.size(), 4U);
}

// A long hold far back must not be forgotten when short ones between came and went.
TEST(Judge, RemembersALongHold) {
  EXPECT_EQ(excluding_overlaps({reads(0, 1000), reads(1, 2), reads(3, 4), writes(900, 901)}).size(), 1U);
}

TEST(Judge, ReadsReports) {
  const Hold hold = parse_hold("write 1 2 3", "p");
  EXPECT_TRUE(hold.writes);
  EXPECT_EQ(hold.asked.count(), 1);
  EXPECT_EQ(hold.entered.count(), 2);
  EXPECT_EQ(hold.left.count(), 3);
  EXPECT_THROW(parse_hold("write 1 2", "p"), std::runtime_error);
  EXPECT_THROW(parse_hold("neither 1 2 3", "p"), std::runtime_error);
}

}  // namespace
}  // namespace rwlease::test
