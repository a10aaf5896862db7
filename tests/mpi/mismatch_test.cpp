// Ranks that do not call alike: the same error on all, which says who did what, and nothing was done.
#include "test_options.hpp"
#include "world.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Mismatch : public WorldTest {
 protected:
  void SetUp() override {
    WorldTest::SetUp();
    if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  }

  static bool odd_one_out() { return world_rank() == world_size() - 1; }

  std::filesystem::path name() const { return directory_ / "data"; }

  // The error names the last rank, which is the one that differs, and what it did.
  template <class Call>
  void expect_mismatch(Call&& call, const std::string& what) {
    const std::string outcome = outcome_of(std::forward<Call>(call));
    EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
    EXPECT_NE(outcome.find("rank " + std::to_string(world_size() - 1)), std::string::npos) << outcome;
    EXPECT_NE(outcome.find(what), std::string::npos) << outcome;
    EXPECT_TRUE(same_everywhere(outcome));
  }
};

TEST_F(Mismatch, Path) {
  const auto path = odd_one_out() ? directory_ / "other" : name();
  expect_mismatch([&] { Lock lock(MPI_COMM_WORLD, path, steady()); }, "path");
}

TEST_F(Mismatch, Options) {
  rwlease::Options options = steady();
  if (odd_one_out()) options.margin = 1ms;
  expect_mismatch([&] { Lock lock(MPI_COMM_WORLD, name(), options); }, "options");
}

TEST_F(Mismatch, Label) {
  rwlease::Options options = steady();
  options.label = odd_one_out() ? "this" : "that";
  expect_mismatch([&] { Lock lock(MPI_COMM_WORLD, name(), options); }, "options");
}

TEST_F(Mismatch, Root) {
  expect_mismatch([&] { Lock lock(MPI_COMM_WORLD, name(), steady(), odd_one_out() ? 1 : 0); }, "root");
}

TEST_F(Mismatch, WhatTheLockIgnoresMayDiffer) {
  rwlease::Options options = steady();
  options.sole = odd_one_out();
  options.ranks = world_rank() + 1;
  Lock lock(MPI_COMM_WORLD, name(), options);
  lock.acquire(Mode::read).release();
  lock.close();
}

TEST_F(Mismatch, ModeAndTimeoutAndAfterwardsTheLockWorks) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  expect_mismatch([&] { lock.acquire(odd_one_out() ? Mode::read : Mode::write); }, "mode");
  expect_mismatch([&] { lock.acquire(Mode::write, odd_one_out() ? 1s : 2s); }, "timeout");
  EXPECT_TRUE(rwlease::Lock(name()).status().participants.empty());
  Lease lease = lock.acquire(Mode::write, 10s);
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Mismatch, AllNegativeTimeoutsAreOneTry) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write, odd_one_out() ? -1ns : 0ns);
  lease.release();
  lock.close();
}

TEST_F(Mismatch, DifferentCalls) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  expect_mismatch(
      [&] {
        if (odd_one_out()) {
          lease.release();
        } else {
          lease.check();
        }
      },
      "called release(), rank 0 check()");
  EXPECT_TRUE(lease.valid()) << "the rank that wanted to release goes on";
  EXPECT_EQ(lease.check(), LeaseState::valid);
  expect_mismatch(
      [&] {
        if (odd_one_out()) {
          lock.close();
        } else {
          lock.acquire(Mode::write);
        }
      },
      "called close(), rank 0 acquire()");
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Mismatch, AnotherLease) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease first = lock.acquire(Mode::read);
  Lease second = lock.acquire(Mode::read);
  expect_mismatch([&] { (odd_one_out() ? first : second).release(); }, "lease");
  EXPECT_TRUE(first.valid());
  EXPECT_TRUE(second.valid());
  EXPECT_EQ(first.release(), ReleaseResult::released);
  EXPECT_EQ(second.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Mismatch, PublishedPaths) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  const auto target = directory_ / (odd_one_out() ? "there" : "here");
  expect_mismatch([&] { lease.publish(directory_ / "new", target); }, "target path");
  lease.release();
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
