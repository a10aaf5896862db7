// A rank is killed while the communicator holds: the job ends, and the lock is free once the lease has passed.
#include "test_options.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rwlease/lock.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace rwlease::mpi::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Case {
  int ranks;
  int killed;
};

class KilledRank : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rwlease-mpi-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    // Open MPI's mpiexec refuses the superuser, as whom containers run tests, unless told so.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }

  void TearDown() override { std::filesystem::remove_all(directory_); }

  // RWLEASE_MPIEXEC: the start of the command line, words separated by spaces, up to where the number of ranks goes.
  pid_t start_job(int ranks) const {
    std::vector<std::string> words;
    std::istringstream before(RWLEASE_MPIEXEC);
    for (std::string word; before >> word;) words.push_back(word == "RANKS" ? std::to_string(ranks) : word);
    words.insert(words.end(), {RWLEASE_VICTIM, std::to_string(ranks), directory_.string()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t job = -1;
    EXPECT_EQ(posix_spawnp(&job, arguments[0], nullptr, nullptr, arguments.data(), environ), 0);
    return job;
  }

  pid_t await_report(int rank) const {
    pid_t process = 0;
    while (process == 0) {
      std::ifstream(directory_ / std::to_string(rank)) >> process;
      std::this_thread::sleep_for(5ms);
    }
    return process;
  }

  static void expect_failed_end(pid_t job) {
    int status = 0;
    ASSERT_EQ(waitpid(job, &status, 0), job);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a job with a killed rank must not look successful";
  }

  std::filesystem::path directory_;
};

TEST_P(KilledRank, EndsTheJobAndTheLockIsFreeAfterTheLease) {
  const pid_t job = start_job(GetParam().ranks);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < GetParam().ranks; ++rank) processes.push_back(await_report(rank));
  ASSERT_EQ(kill(processes.at(static_cast<std::size_t>(GetParam().killed)), SIGKILL), 0);
  expect_failed_end(job);

  Lock lock(directory_ / "data", brief());
  ASSERT_TRUE(lock.status().writer_stands) << "nobody was left to give it back";
  const Clock::time_point begin = Clock::now();
  const Lease lease = lock.acquire(Mode::write, Deadline::after(60s));
  EXPECT_TRUE(lease.valid());
  // The root's death proves nothing about the other ranks, so the lease is waited out.
  if (GetParam().ranks > 1) {
    EXPECT_GE(Clock::now() - begin, brief().effective_lease());
  }
}

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << "rank " << one.killed << " of " << one.ranks;
}

INSTANTIATE_TEST_SUITE_P(Ranks, KilledRank,
                         ::testing::Values(Case{1, 0}, Case{2, 0}, Case{2, 1}, Case{4, 0}, Case{4, 3}),
                         [](const auto& one) {
                           return std::to_string(one.param.killed) + "Of" + std::to_string(one.param.ranks);
                         });

}  // namespace
}  // namespace rwlease::mpi::test
