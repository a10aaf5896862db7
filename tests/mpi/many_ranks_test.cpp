// As many ranks as make the machine groan: the outcome is right, and ranks that wait leave the cores to others.
#include "processor_time.hpp"
#include "serial_peer.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <rwlease/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class ManyRanks : public WorldTest {
 protected:
  static double greatest(double own) {
    double greatest = 0;
    MPI_Allreduce(&own, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return greatest;
  }
};

TEST_F(ManyRanks, HoldTogether) {
  Lock lock(MPI_COMM_WORLD, directory_ / "data", steady());
  for (const Mode mode : {Mode::read, Mode::write}) {
    Lease lease = lock.acquire(mode);
    EXPECT_TRUE(lease.valid());
    EXPECT_TRUE(same_everywhere(std::to_string(lease.fence())));
    EXPECT_EQ(lease.check(), LeaseState::valid);
    EXPECT_TRUE(lease.verify());
    EXPECT_EQ(lease.release(), ReleaseResult::released);
  }
  lock.close();
}

// Ranks wait for a holder that goes on for a while, blocking and testing now and then.
TEST_F(ManyRanks, WaitWithoutBurningTheirCores) {
  const auto peer = held_by_a_peer(directory_ / "data", Mode::write);
  Lock lock(MPI_COMM_WORLD, directory_ / "data", steady());
  const double load = greatest(load_of([&] { EXPECT_THROW(lock.acquire(Mode::read, 8s), Timeout); }));
  if (world_rank() == 0) {
    std::printf("of %d ranks that wait, the busiest used %.2f %% of a core\n", world_size(), 100 * load);
  }
  EXPECT_LT(load, 0.02);
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
