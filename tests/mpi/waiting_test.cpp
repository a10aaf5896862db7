// What waiting costs the ranks: processor time, and collectives.
#include "serial_peer.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <sys/resource.h>
#include <rwlease/mpi.hpp>

#include <cstdio>
#include <memory>
#include <thread>

namespace {

// Counted on their way into MPI, through its profiling interface.
int collectives = 0;

}  // namespace

extern "C" {

int MPI_Iallreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
                   MPI_Request* request) {
  ++collectives;
  return PMPI_Iallreduce(sent, received, count, type, operation, comm, request);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Ibarrier(comm, request);
}

}  // extern "C"

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Waiting : public WorldTest {};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Call>
double load_of(Call&& call) {
  const double processor = processor_seconds();
  const std::int64_t wall = boot_now();
  call();
  return (processor_seconds() - processor) / (static_cast<double>(boot_now() - wall) * 1e-9);
}

template <class Call>
int collectives_of(Call&& call) {
  const int before = collectives;
  call();
  return collectives - before;
}

TEST_F(Waiting, RanksSleepWhileTheRootWaits) {
  std::unique_ptr<SerialPeer> peer;
  if (world_rank() == 0) {
    peer = std::make_unique<SerialPeer>(directory_ / "data", Mode::write, "steady");
    peer->await_held();
  }
  barrier();
  Lock lock(MPI_COMM_WORLD, directory_ / "data", steady());
  const double load = load_of([&] { EXPECT_THROW(lock.acquire(Mode::write, 3s), Timeout); });
  std::printf("rank %d used %.2f %% of a core while it waited\n", world_rank(), 100 * load);
  EXPECT_LT(load, 0.10);
  lock.close();
}

TEST_F(Waiting, RanksSleepWhileTheyWaitForEachOther) {
  Lock lock(MPI_COMM_WORLD, directory_ / "data", steady());
  Lease lease = lock.acquire(Mode::read);
  const bool late = world_rank() == world_size() - 1;
  const double load = load_of([&] {
    if (late) std::this_thread::sleep_for(2s);
    EXPECT_EQ(lease.check(), LeaseState::valid);
  });
  std::printf("rank %d used %.2f %% of a core while it waited for the last rank\n", world_rank(), 100 * load);
  EXPECT_LT(load, 0.10);
  lease.release();
  lock.close();
}

// The numbers do not depend on how many ranks there are: the same test runs with several.
TEST_F(Waiting, CollectivesOfEachCall) {
  Lock lock(MPI_COMM_WORLD, directory_ / "data", steady());
  Lease lease;
  EXPECT_EQ(collectives_of([&] { lease = lock.acquire(Mode::write); }), 4);
  EXPECT_EQ(collectives_of([&] { lease.check(); }), 3);
  EXPECT_EQ(collectives_of([&] { lease.valid(); }), 0);
  EXPECT_EQ(collectives_of([&] { lease.release(); }), 2);
  EXPECT_EQ(collectives_of([&] { lease = Lease(); }), 0);
  EXPECT_EQ(collectives_of([&] { lock.close(); }), 2);
}

}  // namespace
}  // namespace rwlease::mpi::test
