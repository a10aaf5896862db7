// The life of a communicator's lease: check, publish, release, close, loss, destruction without release.
#include "support/fork_safety.hpp"
#include "test_options.hpp"
#include "world.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <atomic>
#include <fstream>
#include <optional>
#include <thread>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;

class LeaseLife : public WorldTest {
 protected:
  std::filesystem::path name() const { return directory_ / "data"; }

  bool writer_stands() const { return rwlease::Lock(name()).status().writer_stands; }

  // As an administrator might: the marker goes, the lock directory stays.
  void remove_writers_marker() const {
    if (world_rank() == 0) std::filesystem::remove_all(directory_ / "data.rwlease" / "writer");
    barrier();
  }

  // The verdicts of check(), equal on all ranks every time, until the first that is not `state`.
  static LeaseState check_while(LeaseState state, Lease& lease) {
    LeaseState verdict = state;
    while (verdict == state) {
      verdict = lease.check();
      EXPECT_TRUE(same_everywhere(std::string(to_string(verdict))));
      std::this_thread::sleep_for(10ms);
    }
    return verdict;
  }
};

TEST_F(LeaseLife, OutlastsItsFirstDeadlineByChecking) {
  Lock lock(MPI_COMM_WORLD, name(), brief());
  Lease lease = lock.acquire(Mode::write);
  const auto start = from_rank(0, boot_now());
  while (from_rank(0, boot_now()) - start < 4'000'000'000) {
    ASSERT_EQ(lease.check(), LeaseState::valid);
    ASSERT_TRUE(lease.valid());
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(LeaseLife, OtherRanksStopAtTheirDeadlineUnlessTheyCheck) {
  Lock lock(MPI_COMM_WORLD, name(), brief());
  Lease lease = lock.acquire(Mode::write);
  const auto promised = lease.remaining();
  const auto start = boot_now();
  while (world_rank() != 0 && lease.valid()) std::this_thread::sleep_for(5ms);
  if (world_rank() != 0) {
    EXPECT_GE(boot_now() - start + 5'000'000, promised.count());
  }
  barrier();
  EXPECT_EQ(lease.check(), LeaseState::valid) << "the root's heartbeats have kept it";
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(LeaseLife, LossIsTheSameOnAll) {
  Lock lock(MPI_COMM_WORLD, name(), brief());
  Lease lease = lock.acquire(Mode::write);
  std::atomic<int> told{0};
  lease.on_lost([&](LossReason) { ++told; });
  remove_writers_marker();
  EXPECT_EQ(check_while(LeaseState::valid, lease), LeaseState::lost);
  EXPECT_FALSE(lease.valid());
  EXPECT_EQ(lease.remaining(), 0ns);
  while (world_rank() == 0 && told == 0) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(told, world_rank() == 0 ? 1 : 0);
  const std::string outcome = outcome_of([&] { lease.publish(directory_ / "new", directory_ / "old"); });
  EXPECT_EQ(outcome.substr(0, 9), "LeaseLost") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_EQ(lease.release(), ReleaseResult::already_lost);
  lock.close();
}

TEST_F(LeaseLife, PublishesWhatAllRanksWrote) {
  const auto finished = directory_ / "new";
  const auto target = directory_ / "now";
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  if (world_rank() == 0) std::filesystem::create_directory(finished);
  barrier();
  std::ofstream(finished / std::to_string(world_rank())) << "part";
  lease.publish(finished, target);
  for (int rank = 0; rank < world_size(); ++rank) EXPECT_TRUE(std::filesystem::exists(target / std::to_string(rank)));

  const std::string outcome = outcome_of([&] { lease.publish(finished, target); });
  EXPECT_NE(outcome.find("generic:" + std::to_string(ENOENT)), std::string::npos) << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lease.release();
  lock.close();
}

TEST_F(LeaseLife, AReadLeaseCannotPublish) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::read);
  const std::string outcome = outcome_of([&] { lease.publish(directory_ / "new", directory_ / "now"); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  lease.release();
  lock.close();
}

// No rank's finished path becomes the target, whatever is in place already.
TEST_F(LeaseLife, PublishesOnlyWhatAllNameAlikeAndOnlyWhileInForce) {
  Lock lock(MPI_COMM_WORLD, name(), brief());
  Lease lease = lock.acquire(Mode::write);
  if (world_rank() == 0) std::ofstream(directory_ / "new") << "x";
  remove_writers_marker();
  const std::string outcome = outcome_of([&] { lease.publish(directory_ / "new", directory_ / "now"); });
  EXPECT_EQ(outcome.substr(0, 9), "LeaseLost") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "now")) << "the look before the rename saw that the marker is gone";
  lock.close();
}

TEST_F(LeaseLife, EveryRankVerifiesByItself) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  for (const Mode mode : {Mode::read, Mode::write}) {
    Lease lease = lock.acquire(mode);
    for (int turn = 0; turn < world_size(); ++turn) {  // one after the other: without communication
      if (turn == world_rank()) {
        EXPECT_TRUE(lease.verify());
      }
      barrier();
    }
    lease.release();
    EXPECT_FALSE(lease.verify());
  }
  lock.close();
}

// Long before a heartbeat could tell the root.
TEST_F(LeaseLife, EveryRankSeesAtOnceThatTheMarkerIsGone) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  remove_writers_marker();
  EXPECT_TRUE(lease.valid());
  EXPECT_FALSE(lease.verify());
  EXPECT_FALSE(lease.valid());
  EXPECT_EQ(lease.check(), LeaseState::lost);
  lease.release();
  lock.close();
}

// The lock directory that a rank has open may be another one by the next lease.
TEST_F(LeaseLife, VerifiesInALockDirectoryThatWasMadeAgain) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease first = lock.acquire(Mode::write);
  EXPECT_TRUE(first.verify());
  first.release();
  if (world_rank() == 0) std::filesystem::remove_all(directory_ / "data.rwlease");
  barrier();
  Lease second = lock.acquire(Mode::write);
  EXPECT_TRUE(second.verify());
  second.release();
  lock.close();
}

TEST_F(LeaseLife, DowngradedOnAll) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease writing = lock.acquire(Mode::write);
  Lease reading = std::move(writing).downgrade();
  EXPECT_FALSE(static_cast<bool>(writing));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(reading.mode(), Mode::read);
  EXPECT_EQ(reading.fence(), 0U);
  EXPECT_TRUE(reading.valid());
  EXPECT_TRUE(reading.verify());
  EXPECT_FALSE(writer_stands());
  EXPECT_EQ(reading.check(), LeaseState::valid);

  const std::string outcome = outcome_of([&] { static_cast<void>(std::move(reading).downgrade()); });
  EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_TRUE(reading.valid()) << "as before";  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(reading.release(), ReleaseResult::released);
  lock.close();
}

TEST_F(LeaseLife, DowngradedTooLateItIsOver) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease writing = lock.acquire(Mode::write);
  remove_writers_marker();
  const std::string outcome = outcome_of([&] { static_cast<void>(std::move(writing).downgrade()); });
  EXPECT_EQ(outcome.substr(0, 9), "LeaseLost") << outcome;
  EXPECT_TRUE(same_everywhere(outcome));
  EXPECT_FALSE(writing.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(rwlease::Lock(name()).status().participants.empty());
  barrier();
  lock.close();
}

TEST_F(LeaseLife, ReleasedIsReleased) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  EXPECT_FALSE(writer_stands());
  EXPECT_EQ(lease.release(), ReleaseResult::already_lost);
  EXPECT_EQ(lease.check(), LeaseState::released);
  EXPECT_FALSE(static_cast<bool>(lease));
  EXPECT_EQ(outcome_of([&] { lease.publish("a", "b"); }).substr(0, 9), "LeaseLost");
  lock.close();
}

TEST_F(LeaseLife, CloseGivesBackAndIsFinal) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  lock.close();
  EXPECT_FALSE(lease.valid());
  EXPECT_FALSE(writer_stands());
  EXPECT_EQ(lease.check(), LeaseState::released);
  EXPECT_EQ(lease.release(), ReleaseResult::already_lost);
  lock.close();
  for (int again = 0; again < 2; ++again) {
    const std::string outcome = outcome_of([&] { lock.acquire(Mode::read); });
    EXPECT_EQ(outcome.substr(0, 10), "UsageError") << outcome;
    EXPECT_NE(outcome.find("closed"), std::string::npos) << outcome;
    EXPECT_TRUE(same_everywhere(outcome));
  }
  EXPECT_EQ(outcome_of([&] { lock.try_acquire(Mode::read); }).substr(0, 10), "UsageError");
}

TEST_F(LeaseLife, ManyLocksCanBeOpenedAndClosed) {
  for (int round = 0; round < 50; ++round) {
    Lock lock(MPI_COMM_WORLD, name(), steady());
    EXPECT_EQ(lock.acquire(Mode::read).release(), ReleaseResult::released);
    lock.close();
  }
}

TEST_F(LeaseLife, NestedLeasesCount) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease outer = lock.acquire(Mode::write);
  Lease inner = lock.acquire(Mode::write);
  EXPECT_EQ(inner.release(), ReleaseResult::released);
  EXPECT_TRUE(outer.valid());
  EXPECT_TRUE(writer_stands());
  barrier();
  EXPECT_EQ(outer.release(), ReleaseResult::released);
  EXPECT_FALSE(writer_stands());
  lock.close();
}

TEST_F(LeaseLife, LeasesOutliveTheLock) {
  std::optional<Lock> lock(std::in_place, MPI_COMM_WORLD, name(), steady());
  Lease lease = lock->acquire(Mode::write);
  lock.reset();
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_EQ(lease.release(), ReleaseResult::released);
}

TEST_F(LeaseLife, MovedFromHoldsNothing) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease first = lock.acquire(Mode::write);
  Lease second = std::move(first);
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.check(), LeaseState::released);
  EXPECT_EQ(first.release(), ReleaseResult::already_lost);
  EXPECT_TRUE(second.valid());
  EXPECT_EQ(second.release(), ReleaseResult::released);
  lock.close();
}

// The others may still work under it, and nobody can tell without communication.
TEST_F(LeaseLife, DestroyedOnTheRootAloneItStaysHeld) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  std::optional<Lease> lease = lock.acquire(Mode::write);
  barrier();
  if (world_rank() == 0) lease.reset();
  barrier();
  EXPECT_EQ(writer_stands(), world_size() > 1);
  if (world_rank() != 0) {
    EXPECT_TRUE(lease->valid());
  }
  barrier();
  lock.close();
  EXPECT_FALSE(writer_stands());
}

TEST_F(LeaseLife, DestroyedOnAllItIsGivenBackAtTheNextCall) {
  Lock lock(MPI_COMM_WORLD, name(), steady());
  std::optional<Lease> lease = lock.acquire(Mode::write);
  lease.reset();
  Lease reading = lock.acquire(Mode::read, 10s);  // refused if the write lease still stood
  EXPECT_FALSE(writer_stands());
  EXPECT_TRUE(reading.valid());
  reading.release();
  lock.close();
}

TEST_F(LeaseLife, DestroyedPastEveryDeadlineItIsGivenBackAtOnce) {
  Lock lock(MPI_COMM_WORLD, name(), brief());
  std::optional<Lease> lease = lock.acquire(Mode::write);
  std::this_thread::sleep_for(brief().effective_lease() + 100ms);
  lease.reset();
  barrier();
  EXPECT_FALSE(writer_stands());
  barrier();
  lock.close();
}

TEST_F(LeaseLife, AForkedChildHoldsNothing) {
  if (const char* why = rwlease::test::why_no_fork_beside_threads()) GTEST_SKIP() << why;
  Lock lock(MPI_COMM_WORLD, name(), steady());
  Lease lease = lock.acquire(Mode::write);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool refused = outcome_of([&] { lease.check(); }).substr(0, 10) == "UsageError";
    const bool nothing = !lease.valid() && lease.remaining() == 0ns;
    { const Lease unwound = std::move(lease); }
    _exit(refused && nothing ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(lease.check(), LeaseState::valid);
  EXPECT_TRUE(writer_stands());
  barrier();
  EXPECT_EQ(lease.release(), ReleaseResult::released);
  lock.close();
}

}  // namespace
}  // namespace rwlease::mpi::test
