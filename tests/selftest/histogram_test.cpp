#include "histogram.hpp"

#include <gtest/gtest.h>

namespace rwlease::selftest {
namespace {

using namespace std::chrono_literals;

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.quantile(0.5), 0ns);
  EXPECT_EQ(histogram.least(), 0ns);
  EXPECT_TRUE(histogram.buckets().empty());
}

TEST(Histogram, ReadsBackWithinAnEighth) {
  for (const auto value : {1500ns, 33'000ns, 2'345'678ns, 89'000'000'000ns}) {
    Histogram histogram;
    histogram.add(value);
    histogram.add(2 * value);
    EXPECT_GE(histogram.quantile(0.5), value);
    EXPECT_LE(histogram.quantile(0.5), value * 9 / 8);
    EXPECT_EQ(histogram.least(), value);
    EXPECT_EQ(histogram.greatest(), 2 * value);
  }
}

TEST(Histogram, QuantilesAreInOrderAndBelowTheGreatest) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(i * 1ms);
  EXPECT_NEAR(static_cast<double>(histogram.quantile(0.5).count()), 500e6, 65e6);
  EXPECT_NEAR(static_cast<double>(histogram.quantile(0.99).count()), 990e6, 125e6);
  EXPECT_EQ(histogram.quantile(1), 1000ms);
  EXPECT_NEAR(histogram.mean_seconds(), 0.5005, 1e-6);
}

TEST(Histogram, TakesWhatIsOutOfItsRange) {
  Histogram histogram;
  histogram.add(-5ns);
  histogram.add(0ns);
  histogram.add(std::chrono::hours(1000));
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.least(), 0ns);
  EXPECT_EQ(histogram.greatest(), std::chrono::hours(1000));
}

TEST(Histogram, AddsAnother) {
  Histogram one;
  Histogram other;
  one.add(1ms);
  other.add(2ms);
  other.add(3ms);
  one.add(other);
  EXPECT_EQ(one.count(), 3U);
  EXPECT_EQ(one.least(), 1ms);
  EXPECT_EQ(one.greatest(), 3ms);
  EXPECT_EQ(one.buckets().size(), 3U);
}

}  // namespace
}  // namespace rwlease::selftest
