// What waiting costs the ranks: processor time, and collectives.
#include "processor_time.hpp"
#include "serial_peer.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <rwlease/export.hpp>
#include <rwlease/mpi.hpp>

#include <cstdio>
#include <thread>

namespace {

// Counted on their way into MPI, through its profiling interface.
int collectives = 0;

}  // namespace

// Exported, because not every mpi.h says so: the library's calls would go past them.
extern "C" {

RWLEASE_EXPORT int MPI_Iallreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation,
                                  MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Iallreduce(sent, received, count, type, operation, comm, request);
}

RWLEASE_EXPORT int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                              MPI_Request* request) {
  ++collectives;
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

RWLEASE_EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++collectives;
  return PMPI_Ibarrier(comm, request);
}

}  // extern "C"

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Waiting : public WorldTest {};

template <class Call>
int collectives_of(Call&& call) {
  const int before = collectives;
  call();
  return collectives - before;
}

TEST_F(Waiting, RanksSleepWhileTheRootWaits) {
  const auto peer = held_by_a_peer(directory_ / "data", Mode::write);
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
  EXPECT_EQ(collectives_of([&] { lease = lock.acquire_async(Mode::write).wait(); }), 4);
  EXPECT_EQ(collectives_of([&] { lease = std::move(lease).downgrade(); }), 4);
  EXPECT_EQ(collectives_of([&] { lease.verify(); }), 0);
  EXPECT_EQ(collectives_of([&] { lock.close(); }), 2);
}

}  // namespace
}  // namespace rwlease::mpi::test
