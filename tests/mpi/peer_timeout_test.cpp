// Ranks that wait in vain: an end to it, and who is missing.
#include "test_options.hpp"
#include "world.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <algorithm>
#include <memory>
#include <thread>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Missing : public WorldTest {
 protected:
  void SetUp() override {
    WorldTest::SetUp();
    if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
    MPI_Comm_dup(MPI_COMM_WORLD, &own_);
    Policy policy;
    policy.peer_timeout = 2s;
    lock_ = std::make_unique<Lock>(own_, directory_ / "data", steady(), 0, policy);
  }

  static bool last() { return world_rank() == world_size() - 1; }

  static void expect_missing(const std::string& outcome, int rank) {
    EXPECT_EQ(outcome.substr(0, 11), "PeerTimeout") << outcome;
    EXPECT_NE(outcome.find("rank " + std::to_string(rank) + " has not come"), std::string::npos) << outcome;
  }

  MPI_Comm own_ = MPI_COMM_NULL;  // not freed: its ranks have given each other up
  std::unique_ptr<Lock> lock_;
};

TEST_F(Missing, TheLastRankIsNamedAndIsToldWhenItComes) {
  if (!last()) expect_missing(outcome_of([&] { lock_->acquire(Mode::write); }), world_size() - 1);
  barrier();
  if (last()) expect_missing(outcome_of([&] { lock_->acquire(Mode::write); }), world_size() - 1);
  EXPECT_TRUE(rwlease::Lock(directory_ / "data").status().participants.empty());
  EXPECT_EQ(outcome_of([&] { lock_->acquire(Mode::write); }).substr(0, 11), "PeerTimeout")
      << "it is of no use any more";
  EXPECT_EQ(outcome_of([&] { lock_->close(); }).substr(0, 11), "PeerTimeout");
}

TEST_F(Missing, RankZeroIsNamedByRankOne) {
  if (world_rank() != 0) expect_missing(outcome_of([&] { lock_->acquire(Mode::read); }), 0);
  barrier();
  if (world_rank() == 0) expect_missing(outcome_of([&] { lock_->acquire(Mode::read); }), 0);
  EXPECT_TRUE(rwlease::Lock(directory_ / "data").status().participants.empty());
}

// The first two could ask; where they are missing both, the others still come to an end.
TEST_F(Missing, NobodyIsLeftToAsk) {
  if (world_size() < 3) GTEST_SKIP() << "needs three ranks";
  if (world_rank() > 1) {
    const std::string outcome = outcome_of([&] { lock_->acquire(Mode::read); });
    EXPECT_EQ(outcome.substr(0, 11), "PeerTimeout") << outcome;
    EXPECT_NE(outcome.find("nobody knows"), std::string::npos) << outcome;
  }
  barrier();
}

TEST_F(Missing, InTheCallsOfALease) {
  Lease lease = lock_->acquire(Mode::write);
  if (!last()) expect_missing(outcome_of([&] { lease.check(); }), world_size() - 1);
  barrier();
  EXPECT_TRUE(lease.valid()) << "on the root as before, elsewhere until the deadline";
  EXPECT_EQ(outcome_of([&] { lease.release(); }).substr(0, 11), "PeerTimeout");
  EXPECT_TRUE(rwlease::Lock(directory_ / "data").status().writer_stands) << "a rank might still work under it";
}

TEST_F(Missing, WhileARequestIsTested) {
  if (!last()) {
    Request request = lock_->acquire_async(Mode::write);
    while (!request.test()) std::this_thread::sleep_for(5ms);
    expect_missing(outcome_of([&] { request.wait(); }), world_size() - 1);
  }
  barrier();
}

// A rank that is only slow is waited for.
TEST_F(Missing, SlowIsNotMissing) {
  if (last()) std::this_thread::sleep_for(300ms);
  Lease lease = lock_->acquire(Mode::write);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock_->close();
  MPI_Comm_free(&own_);
}

// The root's own waiting, for the lock, is not bounded by it.
TEST_F(Missing, TheRootsWorkTakesAsLongAsItTakes) {
  Lock other(MPI_COMM_WORLD, directory_ / "data", steady(), world_size() - 1);
  Lease lease = other.acquire(Mode::write);
  const std::string outcome = outcome_of([&] { lock_->acquire(Mode::write, 5s); });
  EXPECT_EQ(outcome.substr(0, 7), "Timeout") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lease.release();
  other.close();
  lock_->close();
  MPI_Comm_free(&own_);
}

TEST(PolicyTest, ATimeoutThatNobodyCanKeepIsRefused) {
  Policy policy;
  policy.peer_timeout = 0ns;
  const std::string outcome = outcome_of([&] { Lock lock(MPI_COMM_WORLD, "data", steady(), 0, policy); });
  EXPECT_EQ(outcome.substr(0, 14), "InvalidOptions") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
}

}  // namespace
}  // namespace rwlease::mpi::test
