// killed_victim RANKS DIRECTORY PHASE: all ranks come to that phase on DIRECTORY/data, each says so in DIRECTORY/RANK,
// and stay there until something ends them.
//
//   hold        hold the write lease, checking it
//   wait        wait for it behind another holder, in acquire()
//   request     likewise, with acquire_async()
//   release     the others wait in release() for rank 0, which does not come
//   finalize    the others wait in MPI_Finalize for rank 0
//   abort       hold; rank 0 calls MPI_Abort
//   leave       hold; rank 0 ends without MPI_Finalize
//   lost        hold with Policy::OnLoss::abort, checking; rank 0 removes the marker
#include "test_options.hpp"

#include <mpi.h>
#include <unistd.h>
#include <rwlease/mpi.hpp>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

// Written aside and renamed, so that the reader never sees half of it.
void report(const std::filesystem::path& directory, int rank) {
  const auto finished = directory / ("." + std::to_string(rank));
  std::ofstream(finished) << getpid() << '\n';
  std::filesystem::rename(finished, directory / std::to_string(rank));
}

[[noreturn]] void stay() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

[[noreturn]] void check_for_ever(rwlease::mpi::Lease& lease) {
  for (;;) {
    lease.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// The lock is held by the test that started this.
[[noreturn]] void wait_for_ever(rwlease::mpi::Lock& lock, bool beside) {
  if (!beside) {
    lock.acquire(rwlease::Mode::write);
    std::abort();
  }
  auto request = lock.acquire_async(rwlease::Mode::write);
  while (!request.test()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::abort();
}

void end_like(const std::string& phase, rwlease::mpi::Lease& lease, int rank, const std::filesystem::path& directory) {
  const bool first = rank == 0;
  if (phase == "abort" && first) MPI_Abort(MPI_COMM_WORLD, 7);
  if (phase == "leave" && first) _exit(8);
  if (phase == "lost" && first) std::filesystem::remove_all(directory / "data.rwlease" / "writer");
  if (phase == "release" && !first) lease.release();
  if (phase == "finalize" && !first) MPI_Finalize();
  if ((phase == "release" || phase == "finalize") && first) stay();
  check_for_ever(lease);
}

void come_to(const std::string& phase, const std::filesystem::path& directory) {
  rwlease::mpi::Policy policy;
  if (phase == "lost") policy.on_loss = rwlease::mpi::Policy::OnLoss::abort;
  rwlease::mpi::Lock lock(MPI_COMM_WORLD, directory / "data", rwlease::mpi::test::brief(), 0, policy);
  const bool waits = phase == "wait" || phase == "request";
  if (waits) {
    report(directory, lock.rank());
    wait_for_ever(lock, phase == "request");
  }
  rwlease::mpi::Lease lease = lock.acquire(rwlease::Mode::write);
  report(directory, lock.rank());
  MPI_Barrier(MPI_COMM_WORLD);
  end_like(phase, lease, lock.rank(), directory);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(120);  // should the test that started it be gone
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || std::atoi(argv[1]) != size) MPI_Abort(MPI_COMM_WORLD, 2);
  try {
    come_to(argv[3], argv[2]);
  } catch (const std::exception&) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}
