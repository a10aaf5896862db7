// The referee's book: what it takes for a violation, and what not.
#include "ledger.hpp"

#include <gtest/gtest.h>

namespace rwlease::selftest {
namespace {

using std::chrono::milliseconds;

class LedgerTest : public ::testing::Test {
 protected:
  static Ledger::Time at(int ms) { return Ledger::Time{} + milliseconds(1000 + ms); }

  // Each rank its own party.
  void enters(int rank, Mode mode, int ms, std::uint64_t fence = 0) { ledger_.enters(rank, rank, mode, fence, at(ms)); }

  void leaves(int rank, int ms, bool in_force = true) {
    ledger_.leaves(rank, at(ms));
    ledger_.has_left(rank, in_force);
  }

  Ledger ledger_{4};
};

TEST_F(LedgerTest, OneAfterTheOtherIsWell) {
  enters(0, Mode::write, 0);
  leaves(0, 1);
  enters(1, Mode::read, 2);
  enters(2, Mode::read, 3);
  leaves(1, 4);
  leaves(2, 5);
  EXPECT_EQ(ledger_.violations(), 0U);
  EXPECT_EQ(ledger_.unclear(), 0U);
  EXPECT_EQ(ledger_.reads(), 2U);
  EXPECT_EQ(ledger_.writes(), 1U);
  EXPECT_EQ(ledger_.most_readers(), 2);
}

TEST_F(LedgerTest, TwoWritersAtOnceAreAViolation) {
  enters(0, Mode::write, 0);
  enters(1, Mode::write, 1);
  leaves(0, 2);
  EXPECT_EQ(ledger_.violations(), 0U) << "the second has not yet said that it was in force";
  leaves(1, 3);
  EXPECT_EQ(ledger_.violations(), 1U);
  EXPECT_EQ(ledger_.first_violation(), std::make_pair(0, 1));
}

TEST_F(LedgerTest, AReaderBesideAWriterIsAViolationWhicheverCameFirst) {
  enters(0, Mode::read, 0);
  enters(1, Mode::write, 1);
  leaves(0, 2);
  enters(2, Mode::read, 3);
  leaves(1, 4);
  leaves(2, 5);
  EXPECT_EQ(ledger_.violations(), 2U);
}

TEST_F(LedgerTest, ALapsedLeaseProvesNothing) {
  enters(0, Mode::write, 0);
  enters(1, Mode::write, 1);
  leaves(0, 2, false);
  leaves(1, 3, true);
  EXPECT_EQ(ledger_.violations(), 0U);
  EXPECT_EQ(ledger_.unclear(), 1U);
  EXPECT_EQ(ledger_.lapsed(), 1U);
}

TEST_F(LedgerTest, RanksOfOnePartyHoldTogether) {
  ledger_.enters(0, 7, Mode::write, 5, at(0));
  ledger_.enters(1, 7, Mode::write, 5, at(1));
  leaves(0, 2);
  leaves(1, 3);
  EXPECT_EQ(ledger_.violations(), 0U);
  EXPECT_EQ(ledger_.fences_back(), 0U);
}

TEST_F(LedgerTest, NumbersOfWriteLeasesMustGrow) {
  enters(0, Mode::write, 0, 10);
  leaves(0, 1);
  enters(1, Mode::write, 2, 11);
  leaves(1, 3);
  EXPECT_EQ(ledger_.fences_back(), 0U);
  enters(2, Mode::write, 4, 11);
  leaves(2, 5);
  EXPECT_EQ(ledger_.fences_back(), 1U);
  enters(3, Mode::write, 6, 3);
  leaves(3, 7, false);
  EXPECT_EQ(ledger_.fences_back(), 1U) << "a lapsed lease's number is no longer good";
}

TEST_F(LedgerTest, AHandOffIsToOneThatWaited) {
  ledger_.asks(0, at(0));
  enters(0, Mode::write, 1);
  ledger_.asks(1, at(2));
  leaves(0, 10);
  ledger_.asks(2, at(11));
  enters(1, Mode::read, 14);
  enters(2, Mode::read, 15);
  EXPECT_EQ(ledger_.hand_offs().count(), 1U);
  EXPECT_EQ(ledger_.hand_offs().greatest(), milliseconds(4));
}

TEST_F(LedgerTest, KeepsABoundedNumberOfStays) {
  for (int i = 0; i < 100'000; ++i) {
    enters(i % 4, Mode::write, i);
    leaves(i % 4, i);
  }
  EXPECT_EQ(ledger_.writes(), 100'000U);
  EXPECT_EQ(ledger_.stays().size(), 1500U);
}

}  // namespace
}  // namespace rwlease::selftest
