// Whatever comes of a collective call, it is the same on every rank.
#include "serial_peer.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <unistd.h>
#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <fstream>
#include <thread>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Outcome : public WorldTest {
 protected:
  std::filesystem::path name() const { return directory_ / "data"; }
};

TEST_F(Outcome, AllAreGrantedTheLease) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  for (const Mode mode : {Mode::read, Mode::write}) {
    Lease lease = lock.acquire(mode);
    EXPECT_TRUE(lease.valid());
    EXPECT_TRUE(static_cast<bool>(lease));
    EXPECT_EQ(lease.mode(), mode);
    EXPECT_GT(lease.remaining(), 0ns);
    EXPECT_LE(lease.remaining(), steady().effective_lease() - steady().effective_margin());
    EXPECT_TRUE(same_everywhere(std::to_string(lease.fence())));
    EXPECT_EQ(lease.fence() > 0, mode == Mode::write);
    EXPECT_EQ(lease.check(), LeaseState::valid);
    EXPECT_EQ(lease.release(), ReleaseResult::released);
    EXPECT_FALSE(lease.valid());
  }
  lock.close();
}

TEST_F(Outcome, FencesGrow) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  std::uint64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    Lease lease = lock.acquire(Mode::write);
    EXPECT_GT(lease.fence(), last);
    last = lease.fence();
    lease.release();
  }
  lock.close();
}

TEST_F(Outcome, AllTimeOut) {
  const auto peer = held_by_a_peer(name(), Mode::write);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  for (const auto timeout : {0ns, std::chrono::nanoseconds(200ms)}) {
    const std::string outcome = outcome_of([&] { lock.acquire(Mode::read, timeout); });
    EXPECT_EQ(outcome.substr(0, 7), "Timeout") << outcome;
    EXPECT_TRUE(same_everywhere(outcome));
  }
  lock.close();
}

TEST_F(Outcome, ATryIsRefusedOnAll) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  EXPECT_FALSE(lock.try_acquire(Mode::write).has_value());
  std::optional<Lease> beside = lock.try_acquire(Mode::read);
  ASSERT_TRUE(beside.has_value());
  EXPECT_TRUE(beside->valid());
  beside->release();
  lock.close();
}

TEST_F(Outcome, AllAreCancelledWhileTheyWait) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Cancel cancel;
  std::thread canceller;
  if (world_rank() == 0) {
    canceller = std::thread([&] {  // as soon as the claim shows that the root waits
      while (!rwlease::Lock(name(), steady()).status().writer_stands) std::this_thread::sleep_for(5ms);
      cancel.cancel();
    });
  }
  const std::string outcome = outcome_of([&] { lock.acquire(Mode::write, forever, &cancel); });
  if (canceller.joinable()) canceller.join();
  EXPECT_EQ(outcome.substr(0, 9), "Cancelled") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lock.close();
}

TEST_F(Outcome, OnlyTheRootsCancelCounts) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Cancel cancel;
  if (world_rank() != 0) cancel.cancel();
  Lease lease = lock.acquire(Mode::read, 10s, &cancel);
  EXPECT_TRUE(lease.valid());
  lease.release();
  lock.close();
}

TEST_F(Outcome, UnsafeDirectory) {
  if (world_rank() == 0) {
    std::filesystem::create_directory(directory_ / "elsewhere");
    std::filesystem::create_directory_symlink(directory_ / "elsewhere", directory_ / "data.rwlease");
  }
  barrier();
  Lock lock(MPI_COMM_WORLD, name(), steady());
  const std::string outcome = outcome_of([&] { lock.acquire(Mode::read); });
  EXPECT_EQ(outcome.substr(0, 15), "UnsafeDirectory") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lock.close();
}

TEST_F(Outcome, ParentIsMissing) {
  Lock lock(MPI_COMM_WORLD, directory_ / "nowhere" / "data", steady());
  const std::string outcome = outcome_of([&] { lock.try_acquire(Mode::write); });
  EXPECT_EQ(outcome.substr(0, 5), "Error") << outcome;
  EXPECT_NE(outcome.find("generic:" + std::to_string(ENOENT)), std::string::npos) << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lock.close();
}

TEST_F(Outcome, ParentIsAFile) {
  if (world_rank() == 0) std::ofstream(directory_ / "file") << "x";
  barrier();
  Lock lock(MPI_COMM_WORLD, directory_ / "file" / "data", steady());
  const std::string outcome = outcome_of([&] { lock.acquire(Mode::write); });
  EXPECT_NE(outcome.find("generic:" + std::to_string(ENOTDIR)), std::string::npos) << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lock.close();
}

// sysfs lets nobody make a directory, the superuser neither.
TEST_F(Outcome, ParentIsNotWritable) {
  Lock lock(MPI_COMM_WORLD, "/sys/rwlease-test", steady());
  const std::string outcome = outcome_of([&] { lock.acquire(Mode::write); });
  EXPECT_EQ(outcome.substr(0, 5), "Error") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lock.close();
}

TEST_F(Outcome, InvalidOptions) {
  Options options = steady();
  options.lease = options.interval;
  const std::string outcome = outcome_of([&] { Lock lock(MPI_COMM_WORLD, name(), options); });
  EXPECT_EQ(outcome.substr(0, 14), "InvalidOptions") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
}

TEST_F(Outcome, UpgradeIsRefusedOnAll) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease reading = lock.acquire(Mode::read);
  const std::string outcome = outcome_of([&] { lock.acquire(Mode::write); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_TRUE(reading.valid());
  reading.release();
  lock.close();
}

TEST_F(Outcome, AnyRankCanBeRoot) {
  const int root = world_size() - 1;
  Lock lock(MPI_COMM_WORLD, name(), steady(), root);
  EXPECT_EQ(lock.root(), root);
  EXPECT_EQ(lock.rank(), world_rank());
  EXPECT_EQ(lock.size(), world_size());
  Lease lease = lock.acquire(Mode::write);
  const auto holder = from_rank(root, getpid());
  const Status status = rwlease::Lock(name()).status();
  ASSERT_EQ(status.participants.size(), 1U);
  EXPECT_EQ(status.participants[0].pid, holder);
  EXPECT_EQ(status.participants[0].ranks, world_size());
  EXPECT_EQ(status.participants[0].sole, world_size() == 1);
  barrier();
  EXPECT_EQ(lease.check(), LeaseState::valid);
  lease.release();
  lock.close();
}

TEST_F(Outcome, RootMustBeARank) {
  for (const int root : {-1, world_size()}) {
    const std::string outcome = outcome_of([&] { Lock lock(MPI_COMM_WORLD, name(), steady(), root); });
    EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
    EXPECT_NE(outcome.find("root " + std::to_string(root)), std::string::npos) << outcome;
    EXPECT_TRUE(same_everywhere(outcome));
  }
}

TEST_F(Outcome, NullCommunicator) {
  const std::string outcome = outcome_of([&] { Lock lock(MPI_COMM_NULL, name(), steady()); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_NE(outcome.find("MPI_COMM_NULL"), std::string::npos) << outcome;
}

TEST_F(Outcome, Intercommunicator) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const int side = world_rank() % 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, side, world_rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &between);
  const std::string outcome = outcome_of([&] { Lock lock(between, name(), steady()); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_NE(outcome.find("intercommunicator"), std::string::npos) << outcome;
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

TEST_F(Outcome, AWrongThreadIsRefused) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) GTEST_SKIP() << "this MPI lets every thread call";
  Lock lock(MPI_COMM_WORLD, name(), steady());
  std::string outcome;
  std::thread([&] { outcome = outcome_of([&] { lock.acquire(Mode::read); }); }).join();
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_NE(outcome.find("thread"), std::string::npos) << outcome;
  lock.close();
}

TEST_F(Outcome, TheApplicationsCommunicatorMayBeFreed) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  Lock lock(own, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  MPI_Comm_free(&own);
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
