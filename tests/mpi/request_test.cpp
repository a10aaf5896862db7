// Nonblocking acquire: the application goes on meanwhile, and the outcome is the same on every rank.
#include "serial_peer.hpp"
#include "support/fork_safety.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <optional>
#include <thread>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class Requests : public WorldTest {
 protected:
  std::filesystem::path name() const { return directory_ / "data"; }

  bool writer_stands() const { return rwlease::Lock(name(), steady()).status().writer_stands; }
  bool nobody_there() const { return rwlease::Lock(name(), steady()).status().participants.empty(); }

  // Tests until the root's claim stands, so that the acquire is known to be under way on all ranks.
  void await_claim(Request& request) const {
    std::int64_t stands = 0;
    while (stands == 0) {
      EXPECT_FALSE(request.test());
      barrier();  // or rank 0, which sees the claim first, could be further already
      stands = from_rank(0, world_rank() == 0 && writer_stands() ? 1 : 0);
    }
  }

  // Tests on every rank until it is over on all, with messages of the application's in between.
  static void test_together(Request& request) {
    std::int64_t over = 0;
    while (over == 0) {
      const std::int64_t own = request.test() ? 1 : 0;
      MPI_Allreduce(&own, &over, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    }
  }
};

TEST_F(Requests, GiveTheLease) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  EXPECT_TRUE(static_cast<bool>(request));
  test_together(request);
  Lease lease = request.wait();
  EXPECT_FALSE(static_cast<bool>(request));
  EXPECT_TRUE(lease.valid());
  EXPECT_GT(lease.fence(), 0U);
  EXPECT_TRUE(same_everywhere(std::to_string(lease.fence())));
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Requests, WaitNeedsNoTest) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  for (const Mode mode : {Mode::read, Mode::write}) {
    Request request = lock.acquire_async(mode);
    Lease lease = request.wait();
    EXPECT_EQ(lease.mode(), mode);
    EXPECT_TRUE(lease.valid());
    EXPECT_EQ(lease.release(), ReleaseResult::released);
  }
  lock.close();
}

// The application works, and talks on its own communicator, while the root waits in the file system.
TEST_F(Requests, TheApplicationGoesOnMeanwhile) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  await_claim(request);
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(request.test());
    EXPECT_EQ(from_rank(round % world_size(), world_rank()), round % world_size());
  }
  if (peer) {
    EXPECT_EQ(peer->finish(), " while valid");
  }
  test_together(request);
  Lease lease = request.wait();
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(Requests, FailAlike) {
  const auto peer = held_by_a_peer(name(), Mode::write);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  for (const auto timeout : {0ns, std::chrono::nanoseconds(100ms)}) {
    Request request = lock.acquire_async(Mode::read, timeout);
    test_together(request);
    EXPECT_TRUE(request.test()) << "over, and stays so";
    const std::string outcome = outcome_of([&] { request.wait(); });
    EXPECT_EQ(outcome.substr(0, 7), "Timeout") << outcome;
    EXPECT_TRUE(same_everywhere(outcome));
  }
  Lock nowhere(MPI_COMM_WORLD, directory_ / "nowhere" / "data", steady());
  Request request = nowhere.acquire_async(Mode::read);
  const std::string outcome = outcome_of([&] { request.wait(); });
  EXPECT_NE(outcome.find("generic:" + std::to_string(ENOENT)), std::string::npos) << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  nowhere.close();
  lock.close();
}

TEST_F(Requests, AreCancelledByAll) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  await_claim(request);
  request.cancel();
  EXPECT_FALSE(static_cast<bool>(request));
  EXPECT_FALSE(writer_stands());
  request.cancel();
  Lease lease = lock.acquire(Mode::read, 10s);
  EXPECT_TRUE(lease.valid());
  lease.release();
  lock.close();
}

TEST_F(Requests, CancelledOnTheRootOthersAreToldInWait) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  await_claim(request);
  if (world_rank() == 0) {
    request.cancel();
  } else {
    const std::string outcome = outcome_of([&] { request.wait(); });
    EXPECT_EQ(outcome.substr(0, 9), "Cancelled") << outcome;
  }
  lock.close();
}

TEST_F(Requests, CancelledAfterTheGrantNothingIsHeld) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  test_together(request);
  EXPECT_TRUE(writer_stands());
  barrier();
  request.cancel();
  EXPECT_FALSE(writer_stands());
  barrier();
  lock.close();
}

// The thread that waits stands for the one that asked.
TEST_F(Requests, NestAndAreRefusedLikeAcquire) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease outer = lock.acquire(Mode::write);
  Lease inner = lock.acquire_async(Mode::write, 10s).wait();
  EXPECT_EQ(inner.fence(), outer.fence());
  const std::string outcome = outcome_of([&] { lock.acquire_async(Mode::read).wait(); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_EQ(inner.release(), ReleaseResult::released);
  EXPECT_EQ(outer.release(), ReleaseResult::released);

  Lease first = lock.acquire_async(Mode::read).wait();
  Lease second = lock.acquire(Mode::read, 10s);
  EXPECT_EQ(outcome_of([&] { lock.acquire(Mode::write); }).substr(0, 10), "UsageError");
  first.release();
  second.release();
  lock.close();
}

TEST_F(Requests, OtherCallsOnTheLockMustWait) {
  const auto peer = held_by_a_peer(name(), Mode::write);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lock other(MPI_COMM_WORLD, directory_ / "other", steady());
  Request request = lock.acquire_async(Mode::read);
  for (const std::string& outcome :
       {outcome_of([&] { lock.acquire(Mode::read); }), outcome_of([&] { lock.acquire_async(Mode::read); })}) {
    EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
    EXPECT_NE(outcome.find("not finished"), std::string::npos) << outcome;
  }
  Lease beside = other.acquire(Mode::write);  // another lock of the same communicator is free
  EXPECT_TRUE(beside.valid());
  beside.release();
  other.close();
  EXPECT_FALSE(request.test());
  barrier();
  request.cancel();
  lock.close();
}

TEST_F(Requests, CloseCancels) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  await_claim(request);
  lock.close();
  EXPECT_FALSE(writer_stands());
  EXPECT_TRUE(request.test());
  EXPECT_EQ(outcome_of([&] { request.wait(); }).substr(0, 10), "UsageError");
}

TEST_F(Requests, DestroyedOnAllTheLockGoesOn) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  {
    Request request = lock.acquire_async(Mode::write);
    await_claim(request);
  }
  Lease lease = lock.acquire(Mode::read, 30s);  // refused while the claim stands
  EXPECT_TRUE(lease.valid());
  EXPECT_FALSE(writer_stands());
  lease.release();
  { Request request = lock.acquire_async(Mode::read); }
  lock.close();
}

TEST_F(Requests, DestroyedAfterTheGrantItIsGivenBackAtTheNextCall) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  {
    Request request = lock.acquire_async(Mode::write);
    test_together(request);
  }
  Lease lease = lock.acquire(Mode::read, 10s);  // refused if the write lease still stood
  EXPECT_TRUE(lease.valid());
  lease.release();
  lock.close();
}

// An exception unwinds one rank alone; the others learn of it when that rank closes the lock.
TEST_F(Requests, DestroyedOnOneRankTheOthersGetAnEnd) {
  const auto peer = held_by_a_peer(name(), Mode::read);
  for (const int dropper : {0, world_size() - 1}) {
    Lock lock(MPI_COMM_WORLD, name(), steady());
    std::optional<Request> request = lock.acquire_async(Mode::write, 300ms);
    await_claim(*request);
    if (world_rank() == dropper) {
      request.reset();
    } else {
      const std::string outcome = outcome_of([&] { request->wait(); });
      EXPECT_EQ(outcome.substr(0, 9), dropper == 0 ? "Cancelled" : "Timeout |") << outcome;
    }
    lock.close();
    EXPECT_FALSE(writer_stands());
    barrier();
  }
}

TEST_F(Requests, ThatDoNotMatchFailOnAll) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool odd = world_rank() == world_size() - 1;
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(odd ? Mode::read : Mode::write);
  while (!request.test()) std::this_thread::sleep_for(1ms);  // nobody waits for the others to explain it
  const std::string outcome = outcome_of([&] { request.wait(); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_NE(outcome.find("mode"), std::string::npos) << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_TRUE(nobody_there());
  lock.close();
}

// test() comes back although the last rank has not even called acquire_async().
TEST_F(Requests, TestingDoesNotWaitForOtherRanks) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool late = world_rank() == world_size() - 1;
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request;
  if (!late) request = lock.acquire_async(Mode::read);
  for (int round = 0; round < 50; ++round) {
    EXPECT_TRUE(late || !request.test());
  }
  barrier();
  if (late) request = lock.acquire_async(Mode::read);
  Lease lease = request.wait();
  EXPECT_TRUE(lease.valid());
  lease.release();
  lock.close();
}

TEST_F(Requests, AWrongThreadLeavesThemAsTheyWere) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) GTEST_SKIP() << "this MPI lets every thread call";
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::read);
  std::string outcome;
  std::thread([&] { outcome = outcome_of([&] { request.wait(); }); }).join();
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  Lease lease = request.wait();
  EXPECT_TRUE(lease.valid());
  lease.release();
  lock.close();
}

TEST_F(Requests, AForkedChildLeavesThemAlone) {
  if (const char* why = rwlease::test::why_no_fork_beside_threads()) GTEST_SKIP() << why;
  const auto peer = held_by_a_peer(name(), Mode::read);
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Request request = lock.acquire_async(Mode::write);
  await_claim(request);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool refused = outcome_of([&] { request.test(); }).substr(0, 10) == "UsageError";
    { const Request unwound = std::move(request); }
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(request.test());
  EXPECT_TRUE(writer_stands());
  barrier();
  request.cancel();
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
