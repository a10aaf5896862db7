// The root is stopped past the lease: every other rank must stop working before anybody else gets in.
#include "serial_peer.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <signal.h>
#include <unistd.h>
#include <rwlease/mpi.hpp>

#include <algorithm>
#include <memory>
#include <thread>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class StoppedRoot : public WorldTest {
 protected:
  void SetUp() override {
    WorldTest::SetUp();
    if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() == 0 ? 0 : 1, world_rank(), &others_);
  }

  void TearDown() override {
    if (others_ != MPI_COMM_NULL) MPI_Comm_free(&others_);
    WorldTest::TearDown();
  }

  // The last moment at which this rank took the lease for valid.
  static std::int64_t last_valid(const Lease& lease) {
    std::int64_t last = boot_now();
    while (lease.valid()) {
      last = boot_now();
      std::this_thread::sleep_for(1ms);
    }
    return last;
  }

  std::int64_t greatest_of_others(std::int64_t own) const {
    std::int64_t greatest = 0;
    MPI_Allreduce(&own, &greatest, 1, MPI_INT64_T, MPI_MAX, others_);
    return greatest;
  }

  MPI_Comm others_ = MPI_COMM_NULL;
};

TEST_F(StoppedRoot, OthersStopBeforeTheSuccessorEnters) {
  const auto root_process = static_cast<pid_t>(from_rank(0, getpid()));
  Lock lock(MPI_COMM_WORLD, directory_ / "data", brief());
  Lease lease = lock.acquire(Mode::write);
  std::this_thread::sleep_for(500ms);  // a heartbeat later, so that the deadlines are not the first ones
  ASSERT_EQ(lease.check(), LeaseState::valid);

  std::unique_ptr<SerialPeer> successor;
  if (world_rank() == 1) {
    successor = std::make_unique<SerialPeer>(directory_ / "data", Mode::write, "brief");
    successor->await_waiting();
    ASSERT_TRUE(lease.valid());
    ASSERT_EQ(kill(root_process, SIGSTOP), 0);
  }
  if (world_rank() != 0) {
    const std::int64_t last = greatest_of_others(last_valid(lease));
    if (successor) {
      EXPECT_LT(last, successor->await_held());
      ASSERT_EQ(kill(root_process, SIGCONT), 0);
    }
  }
  barrier();  // the root waits here, stopped
  EXPECT_FALSE(lease.valid());
  LeaseState verdict = LeaseState::suspended;
  while (verdict == LeaseState::suspended) {
    verdict = lease.check();
    EXPECT_TRUE(same_everywhere(std::string(to_string(verdict))));
  }
  EXPECT_EQ(verdict, LeaseState::lost);
  EXPECT_EQ(lease.release(), ReleaseResult::already_lost);
  if (successor) {
    EXPECT_EQ(successor->finish(), " while valid") << "the late root must not disturb its successor";
  }
  lock.close();
}

// Nobody wants the lock: the lease is renewed, and all ranks go on.
TEST_F(StoppedRoot, UncontendedItIsRenewed) {
  const auto root_process = static_cast<pid_t>(from_rank(0, getpid()));
  Lock lock(MPI_COMM_WORLD, directory_ / "data", brief());
  Lease lease = lock.acquire(Mode::write);
  const std::uint64_t fence = lease.fence();
  if (world_rank() == 1) {
    ASSERT_EQ(kill(root_process, SIGSTOP), 0);
  }
  if (world_rank() != 0) {
    greatest_of_others(last_valid(lease));
    if (world_rank() == 1) {
      ASSERT_EQ(kill(root_process, SIGCONT), 0);
    }
  }
  barrier();
  LeaseState verdict = LeaseState::suspended;
  while (verdict == LeaseState::suspended) verdict = lease.check();
  EXPECT_EQ(verdict, LeaseState::valid);
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.fence(), fence);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
