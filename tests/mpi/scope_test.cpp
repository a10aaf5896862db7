// Many locks and many communicators: in order, out of order, shared, freed; and what the application sends meanwhile.
#include "test_options.hpp"
#include "world.hpp"

#include <rwlease/export.hpp>
#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <optional>
#include <thread>
#include <vector>

namespace {

// Duplicates that were made and not freed, counted on their way into MPI through its profiling interface.
int duplicates = 0;

}  // namespace

// Exported, because not every mpi.h says so: the library's calls would go past them.
extern "C" {

RWLEASE_EXPORT int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* duplicate, MPI_Request* request) {
  ++duplicates;
  return PMPI_Comm_idup(comm, duplicate, request);
}

RWLEASE_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  --duplicates;
  return PMPI_Comm_free(comm);
}

}  // extern "C"

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Scope : public WorldTest {
 protected:
  std::filesystem::path path(const std::string& name) const { return directory_ / name; }

  static bool odd_one_out() { return world_rank() == world_size() - 1; }
};

TEST_F(Scope, SeveralLocksInTheSameOrder) {
  Lock a(MPI_COMM_WORLD, path("a"), steady());
  Lock b(MPI_COMM_WORLD, path("b"), steady());
  Lease in_a = a.acquire(Mode::write);
  Lease in_b = b.acquire(Mode::read);
  EXPECT_EQ(in_a.check(), LeaseState::valid);
  EXPECT_EQ(in_b.check(), LeaseState::valid);
  a.close();
  EXPECT_FALSE(in_a.valid());
  EXPECT_EQ(in_b.check(), LeaseState::valid);
  b.close();
}

// Without an agreement across the locks the ranks would wait for each other for ever.
TEST_F(Scope, AnotherOrderIsAnErrorOnAll) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  Lock a(MPI_COMM_WORLD, path("a"), steady());
  Lock b(MPI_COMM_WORLD, path("b"), steady());
  const std::string outcome = outcome_of([&] { (odd_one_out() ? b : a).acquire(Mode::write); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  const std::string last = std::to_string(world_size() - 1);
  EXPECT_NE(outcome.find("rank " + last + " called acquire() of the lock on " + path("b").string() +
                         ", rank 0 acquire() of the lock on " + path("a").string()),
            std::string::npos)
      << outcome;
  EXPECT_TRUE(same_everywhere(outcome));

  Lease in_a = a.acquire(Mode::write, 10s);
  Lease in_b = b.acquire(Mode::write, 10s);
  const std::string again = outcome_of([&] { odd_one_out() ? in_b.release() : in_a.release(); });
  EXPECT_EQ(again.substr(0, 10), "UsageError") << again;
  EXPECT_TRUE(same_everywhere(again));
  EXPECT_TRUE(in_a.valid());
  EXPECT_TRUE(in_b.valid());
  EXPECT_EQ(in_a.release(), ReleaseResult::released);
  EXPECT_EQ(in_b.release(), ReleaseResult::released);
  a.close();
  b.close();
}

TEST_F(Scope, ANewLockInsteadOfACallIsAnErrorOnAll) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  Lock a(MPI_COMM_WORLD, path("a"), steady());
  const std::string outcome = outcome_of([&] {
    if (odd_one_out()) {
      const Lock b(MPI_COMM_WORLD, path("b"), steady());
    } else {
      a.acquire(Mode::read);
    }
  });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_NE(outcome.find("called Lock() of a new lock, rank 0 acquire() of the lock on " + path("a").string()),
            std::string::npos)
      << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  Lock b(MPI_COMM_WORLD, path("b"), steady());
  b.acquire(Mode::read).release();
  b.close();
  a.close();
}

TEST_F(Scope, RequestsOnSeveralLocksAreUnderWayTogether) {
  std::vector<std::unique_ptr<Lock>> locks;
  std::vector<Request> requests;
  for (int i = 0; i < 4; ++i) {
    locks.push_back(std::make_unique<Lock>(MPI_COMM_WORLD, path(std::to_string(i)), steady()));
    requests.push_back(locks.back()->acquire_async(Mode::write));
  }
  for (std::size_t i = requests.size(); i-- > 0;) EXPECT_EQ(requests[i].wait().release(), ReleaseResult::released);
  for (const auto& lock : locks) lock->close();
}

TEST_F(Scope, OneRank) {
  Lock lock(MPI_COMM_SELF, path(std::to_string(world_rank())), steady());
  EXPECT_EQ(lock.size(), 1);
  Lease lease = lock.acquire_async(Mode::write).wait();
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_TRUE(lease.verify());
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Scope, EveryRankByItselfExcludesTheOthers) {
  Lock lock(MPI_COMM_SELF, path("data"), steady());
  for (int round = 0; round < 3; ++round) {
    Lease lease = lock.acquire(Mode::write);
    EXPECT_TRUE(lease.valid());
    const Status status = rwlease::Lock(path("data")).status();
    EXPECT_EQ(std::count_if(status.participants.begin(), status.participants.end(),
                            [](const Participant& one) { return one.phase == Phase::holding; }),
              1);
    lease.release();
  }
  lock.close();
}

TEST_F(Scope, PartsOfTheWorld) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() / 2, -world_rank(), &part);
  Lock lock(part, path("data"), steady());
  Lease lease = lock.acquire(Mode::read);
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
  MPI_Comm_free(&part);
}

TEST_F(Scope, NotAMember) {
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, odd_one_out() ? MPI_UNDEFINED : 0, 0, &some);
  const std::string outcome = outcome_of([&] { Lock(some, path("data"), steady()).close(); });
  if (odd_one_out()) {
    EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  } else {
    EXPECT_EQ(outcome, "done");
    MPI_Comm_free(&some);
  }
}

// Communicators are few (some two thousand): one for each of the application's and one for each lock, and they go with
// them.
TEST_F(Scope, NothingIsLeftOfAFreedCommunicator) {
  const int before = duplicates;
  for (const bool freed_first : {false, true}) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    ++duplicates;
    Lock first(own, path("data"), steady());
    Lock second(own, path("data"), steady());
    EXPECT_EQ(duplicates, before + 4);
    if (freed_first) MPI_Comm_free(&own);
    first.close();
    second.close();
    if (!freed_first) MPI_Comm_free(&own);
    EXPECT_EQ(duplicates, before);
  }
}

TEST_F(Scope, AFreedCommunicatorsLocksGoOn) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  Lock lock(own, path("data"), steady());
  Request request = lock.acquire_async(Mode::write);
  MPI_Comm_free(&own);
  Lease lease = request.wait();
  EXPECT_EQ(lease.check(), LeaseState::valid);
  lock.close();
}

// The application receives whatever comes, from anyone, on the very communicator that the lock was made on.
TEST_F(Scope, MessagesDoNotMeet) {
  const int next = (world_rank() + 1) % world_size();
  Lock lock(MPI_COMM_WORLD, path("data"), steady());
  for (int round = 0; round < 20; ++round) {
    int received = -1;
    MPI_Request any = MPI_REQUEST_NULL;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    Request request = lock.acquire_async(Mode::write);
    Lease lease = request.wait();
    lease.check();
    lease.release();
    int there = 1;
    MPI_Test(&any, &there, MPI_STATUS_IGNORE);
    EXPECT_EQ(there, 0) << "nobody has sent yet";
    barrier();
    const int sent = 1000 * world_rank() + round;
    MPI_Send(&sent, 1, MPI_INT, next, round, MPI_COMM_WORLD);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    EXPECT_EQ(received, 1000 * ((world_rank() + world_size() - 1) % world_size()) + round);
  }
  lock.close();
}

// The application's error handler is not the lock's, and stays.
TEST_F(Scope, TheApplicationsErrorHandlerStays) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_ARE_FATAL);
  Lock lock(own, path("data"), steady());
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(own, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
  lock.close();
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&own);
}

}  // namespace
}  // namespace rwlease::mpi::test
