// killed_victim RANKS DIRECTORY: holds DIRECTORY/data for all ranks, each says so in DIRECTORY/RANK, until it is
// killed.
#include "test_options.hpp"

#include <mpi.h>
#include <unistd.h>
#include <rwlease/mpi.hpp>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

// Written aside and renamed, so that the reader never sees half of it.
void report(const std::filesystem::path& directory, int rank) {
  const auto finished = directory / ("." + std::to_string(rank));
  std::ofstream(finished) << getpid() << '\n';
  std::filesystem::rename(finished, directory / std::to_string(rank));
}

void hold_for_ever(const std::filesystem::path& directory) {
  rwlease::mpi::Lock lock(MPI_COMM_WORLD, directory / "data", rwlease::mpi::test::brief());
  rwlease::mpi::Lease lease = lock.acquire(rwlease::Mode::write);
  report(directory, lock.rank());
  for (;;) {
    lease.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

int main(int argc, char** argv) {
  alarm(120);  // should the test that started it be gone
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3 || std::atoi(argv[1]) != size) MPI_Abort(MPI_COMM_WORLD, 2);
  try {
    hold_for_ever(argv[2]);
  } catch (const std::exception&) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}
