// mpiexec as the command: its ranks are in process groups of their own.
#include "program.hpp"
#include "support/mpiexec.hpp"

#include <gmock/gmock.h>

#include <signal.h>

#include <cstdlib>
#include <sstream>
#include <thread>

namespace rwlease::test {
namespace {

// What containers run tests as is refused by Open MPI otherwise.
void allow_superuser() {
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

std::vector<std::string> run_ranks(const Scratch& scratch, const std::vector<std::string>& program) {
  std::vector<std::string> words{"run", scratch.path(), "--"};
  for (const std::string& word : mpiexec(2, program)) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Mpiexec, HandsTheFenceToEveryRankAndItsExitCodeToUs) {
  const Scratch scratch;
  Program program(run_ranks(scratch, {"sh", "-c", "echo $RWLEASE_FENCE"}), allow_superuser);
  const Result result = program.finish();
  EXPECT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_GT(std::stoull(lines[0]), 0U);
  EXPECT_EQ(lines[0], lines[1]);
}

TEST(Mpiexec, DiesWithItsRanksWhenRwleaseIsKilled) {
  const Scratch scratch;
  Program program(run_ranks(scratch, {"sh", "-c", "trap '' TERM HUP; echo $$; while :; do sleep 1000; done"}),
                  allow_superuser);
  std::vector<std::string> ranks;
  for (std::string out; ranks.size() < 2 || out.back() != '\n'; ranks = lines_of(out)) out = program.poll_out();
  program.send(SIGKILL);
  EXPECT_EQ(program.await_exit(), 128 + SIGKILL);
  const auto deadline = std::chrono::steady_clock::now() + soon;
  for (const std::string& rank : ranks) {
    const auto pid = static_cast<pid_t>(std::stol(rank));
    while (::kill(pid, 0) == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "rank " << rank << " goes on";
      std::this_thread::yield();
    }
  }
}

}  // namespace
}  // namespace rwlease::test
