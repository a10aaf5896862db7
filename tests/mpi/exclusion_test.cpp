// Who holds together and who does not: communicators beside each other, and beside serial processes.
#include "serial_peer.hpp"
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

// From after the acquire to before the release on one rank, by the one clock of this host.
struct Interval {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t side;
};

class Exclusion : public WorldTest {
 protected:
  std::filesystem::path name() const { return directory_ / "data"; }
};

class Sides : public Exclusion {
 protected:
  void SetUp() override {
    Exclusion::SetUp();
    if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
    MPI_Comm_split(MPI_COMM_WORLD, side(), world_rank(), &half_);
  }

  void TearDown() override {
    if (half_ != MPI_COMM_NULL) MPI_Comm_free(&half_);
    Exclusion::TearDown();
  }

  static int side() { return world_rank() % 2; }

  std::vector<Interval> hold_often(Mode mode, int rounds) const {
    std::vector<Interval> held;
    Lock lock(half_, name(), steady());
    barrier();
    for (int round = 0; round < rounds; ++round) {
      Lease lease = lock.acquire(mode);
      Interval interval{boot_now(), 0, side()};
      std::this_thread::sleep_for(2ms);
      EXPECT_TRUE(lease.valid());
      interval.end = boot_now();
      lease.release();
      held.push_back(interval);
    }
    lock.close();
    return held;
  }

  static std::vector<Interval> gather_all(const std::vector<Interval>& own) {
    const int bytes = static_cast<int>(own.size() * sizeof(Interval));
    std::vector<Interval> all(own.size() * static_cast<std::size_t>(world_size()));
    MPI_Allgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    return all;
  }

  static int overlaps_between_sides(const std::vector<Interval>& all) {
    int overlaps = 0;
    for (const Interval& one : all) {
      for (const Interval& other : all) {
        if (one.side < other.side && one.begin < other.end && other.begin < one.end) ++overlaps;
      }
    }
    return overlaps;
  }

  MPI_Comm half_ = MPI_COMM_NULL;
};

TEST_F(Sides, DifferentLocksAreHeldSideBySide) {
  Lock lock(half_, directory_ / std::to_string(side()), steady());
  Lease lease = lock.acquire(Mode::write);
  barrier();  // passed only when both sides hold
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Sides, ReadersOfOneLockAreSideBySide) {
  Lock lock(half_, name(), steady());
  Lease lease = lock.acquire(Mode::read);
  barrier();
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Sides, WritersExcludeEachOther) {
  const auto all = gather_all(hold_often(Mode::write, 8));
  EXPECT_EQ(overlaps_between_sides(all), 0);
}

TEST_F(Sides, WritersExcludeReaders) {
  const auto all = gather_all(hold_often(side() == 0 ? Mode::write : Mode::read, 8));
  EXPECT_EQ(overlaps_between_sides(all), 0);
}

TEST_F(Sides, TheWholeAndItsPartsUseOneLockInTurn) {
  Lock whole(MPI_COMM_WORLD, name(), steady());
  Lock part(half_, name(), steady());
  for (int round = 0; round < 3; ++round) {
    Lease together = whole.acquire(Mode::write);
    EXPECT_TRUE(together.valid());
    together.release();
    Lease apart = part.acquire(Mode::read);
    EXPECT_TRUE(apart.valid());
    apart.release();
  }
  part.close();
  whole.close();
}

// The peer's claim is seen to stand and wait while the communicator holds.
TEST_F(Exclusion, ASerialWriterWaitsForTheCommunicator) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::read);
  std::unique_ptr<SerialPeer> peer;
  if (world_rank() == 0) {
    peer = std::make_unique<SerialPeer>(name(), Mode::write, "steady");
    while (!rwlease::Lock(name()).status().writer_stands) std::this_thread::sleep_for(2ms);
  }
  barrier();
  const auto last = gather(lease.valid() ? boot_now() : 0);
  lease.release();
  const std::int64_t entered = from_rank(0, peer ? peer->await_held() : 0);
  for (const auto one : last) EXPECT_TRUE(one > 0 && one < entered);
  if (peer) {
    EXPECT_EQ(peer->finish(), " while valid");
  }
  lock.close();
}

TEST_F(Exclusion, ASerialReaderWaitsForTheCommunicatorsWrite) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  std::unique_ptr<SerialPeer> peer;
  if (world_rank() == 0) {
    peer = std::make_unique<SerialPeer>(name(), Mode::read, "steady");
    peer->await_waiting();
  }
  barrier();
  std::this_thread::sleep_for(200ms);  // enough for a reader that nothing holds back to come in
  const auto last = gather(lease.valid() ? boot_now() : 0);
  lease.release();
  const std::int64_t entered = from_rank(0, peer ? peer->await_held() : 0);
  for (const auto one : last) EXPECT_TRUE(one > 0 && one < entered);
  lock.close();
}

TEST_F(Exclusion, TheCommunicatorWaitsForASerialWriter) {
  const auto peer = held_by_a_peer(name(), Mode::write);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  EXPECT_FALSE(lock.try_acquire(Mode::read).has_value());
  std::int64_t told = 0;
  std::thread later;
  if (peer) {
    later = std::thread([&] {
      std::this_thread::sleep_for(200ms);  // enough for a rank that nothing holds back to come in
      told = boot_now();
      peer->finish();
    });
  }
  Lease lease = lock.acquire(Mode::read);
  const std::int64_t entered = boot_now();
  if (later.joinable()) later.join();
  EXPECT_GT(entered, from_rank(0, told));
  lease.release();
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
