// A rank is killed, aborts or just ends, in each phase: the job ends, and the lock is free once the lease has passed.
#include "support/mpiexec.hpp"
#include "support/scratch.hpp"
#include "test_options.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <rwlease/lock.hpp>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Case {
  int ranks;
  int killed;         // -1: nobody; the phase ends by itself
  std::string phase;  // see killed_victim.cpp
};

class KilledRank : public ::testing::TestWithParam<Case> {
 protected:
  pid_t await_report(int rank) const {
    pid_t process = 0;
    while (process == 0) {
      std::ifstream(scratch_ / std::to_string(rank)) >> process;
      std::this_thread::sleep_for(5ms);
    }
    return process;
  }

  static int expect_failed_end(pid_t job) {
    int status = 0;
    EXPECT_EQ(waitpid(job, &status, 0), job);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a job with a dead rank must not look successful";
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int kill_in_phase(const Case& one) const {
    const pid_t job = rwlease::test::start_job(rwlease::test::mpiexec(
        one.ranks, {RWLEASE_VICTIM, std::to_string(one.ranks), scratch_.directory().string(), one.phase}));
    std::vector<pid_t> processes;
    for (int rank = 0; rank < one.ranks; ++rank) processes.push_back(await_report(rank));
    if (one.killed >= 0) {
      EXPECT_EQ(kill(processes.at(static_cast<std::size_t>(one.killed)), SIGKILL), 0);
    }
    return expect_failed_end(job);
  }

  const rwlease::test::Scratch scratch_;
};

class KilledHolder : public KilledRank {};
class KilledWaiter : public KilledRank {};
class KilledLost : public KilledRank {};

TEST_P(KilledHolder, EndsTheJobAndTheLockIsFreeAfterTheLease) {
  kill_in_phase(GetParam());
  Lock lock(scratch_ / "data", brief());
  const bool stood = lock.status().writer_stands;
  EXPECT_TRUE(stood) << "nobody was left to give it back";
  const Clock::time_point begin = Clock::now();
  const Lease lease = lock.acquire(Mode::write, Deadline::after(60s));
  EXPECT_TRUE(lease.valid());
  // The root's death proves nothing about the other ranks, so the lease is waited out.
  if (stood && GetParam().ranks > 1) {
    EXPECT_GE(Clock::now() - begin, brief().effective_lease());
  }
}

// This process holds meanwhile; what the dead left is cleared away, and nothing of it disturbs.
TEST_P(KilledWaiter, EndsTheJobAndTheHolderGoesOn) {
  Lock lock(scratch_ / "data", brief());
  Lease lease = lock.acquire(Mode::read);
  kill_in_phase(GetParam());
  EXPECT_TRUE(lease.valid());
  EXPECT_TRUE(lease.verify());
  lease.release();
  EXPECT_TRUE(lock.acquire(Mode::write, Deadline::after(60s)).valid());
}

// One rank alone makes the code certain: of several, a launcher may tell of one that it killed itself, when that end
// reaches it first (MPICH's does).
TEST_P(KilledLost, ALossCanAbortTheJobWithItsOwnCode) {
  const int code = kill_in_phase(GetParam());
  if (GetParam().ranks > 1 && code == SIGKILL) return;
  EXPECT_EQ(code, 123);
}

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.phase << ", rank " << one.killed << " of " << one.ranks;
}

std::string name_of(const testing::TestParamInfo<Case>& one) {
  const std::string who = one.param.killed < 0 ? "ByItself" : std::to_string(one.param.killed);
  return one.param.phase + who + "Of" + std::to_string(one.param.ranks);
}

INSTANTIATE_TEST_SUITE_P(Ranks, KilledHolder,
                         ::testing::Values(Case{1, 0, "hold"}, Case{2, 0, "hold"}, Case{4, 0, "hold"},
                                           Case{4, 3, "hold"}, Case{2, 0, "release"}, Case{2, 1, "finalize"},
                                           Case{2, -1, "abort"}, Case{2, -1, "leave"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Ranks, KilledLost, ::testing::Values(Case{1, -1, "lost"}, Case{2, -1, "lost"}), name_of);
INSTANTIATE_TEST_SUITE_P(Ranks, KilledWaiter,
                         ::testing::Values(Case{2, 0, "wait"}, Case{2, 1, "wait"}, Case{2, 0, "request"},
                                           Case{2, 1, "request"}),
                         name_of);

}  // namespace
}  // namespace rwlease::mpi::test
