// Runs GoogleTest on every rank alike; the run fails on all when a test failed on one.
#include "world.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

using namespace rwlease::mpi::test;

class RankListener : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override {
    if (world_rank() == 0) std::printf("[ RUN      ] %s.%s\n", test.test_suite_name(), test.name());
    std::fflush(stdout);
  }

  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::printf("rank %d: %s:%d: %s\n", world_rank(), part.file_name() != nullptr ? part.file_name() : "?",
                part.line_number(), part.message());
    std::fflush(stdout);
    if (part.fatally_failed()) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    const auto failed = gather(std::int64_t{test.result()->Failed() ? 1 : 0});
    const bool any = std::count(failed.begin(), failed.end(), 1) > 0;
    if (world_rank() != 0) return;
    const char* verdict = any ? "  FAILED" : test.result()->Skipped() ? " SKIPPED" : "      OK";
    std::printf("[ %s ] %s.%s\n", verdict, test.test_suite_name(), test.name());
    std::fflush(stdout);
  }
};

bool started_as_one_world(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 0;
  if (wanted == world_size()) return true;
  std::fprintf(stderr,
               "this world has %d ranks, the first argument says %d: does mpiexec belong to this MPI library?\n",
               world_size(), wanted);
  return false;
}

#if defined(__SANITIZE_ADDRESS__)
// What Open MPI loses at its start, partly for components that it unloads at once, is not looked for.
using LeaksIgnored = __lsan::ScopedDisabler;

// To be asked while MPI is there still: at its end it leaves more.
int leaks() { return __lsan_do_recoverable_leak_check(); }
#else
struct LeaksIgnored {};

int leaks() { return 0; }
#endif

}  // namespace

int main(int argc, char** argv) {
  {
    [[maybe_unused]] const LeaksIgnored ignored;
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  }
  ::testing::InitGoogleTest(&argc, argv);
  if (!started_as_one_world(argc, argv)) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);

  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankListener);

  const int own = RUN_ALL_TESTS() + leaks();
  int any = 0;
  MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
