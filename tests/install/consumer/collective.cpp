// All ranks write one file together, each its line, while they hold the lease: collective FILE
#include <rwlease/mpi.hpp>

#include <fstream>
#include <iostream>
#include <string>

namespace {

// One rank after the other: the lease keeps others out, not the ranks of this communicator.
void write_lines(const std::string& path, int rank, int size) {
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) std::ofstream(path, turn == 0 ? std::ios::trunc : std::ios::app) << "rank " << rank << '\n';
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

bool rewrite(const std::string& path) {
  rwlease::mpi::Lock lock(MPI_COMM_WORLD, path);
  rwlease::mpi::Lease lease = lock.acquire(rwlease::Mode::write);
  const bool in_force = lease.check() == rwlease::LeaseState::valid;
  if (in_force) write_lines(path, lock.rank(), lock.size());
  const bool released = lease.release() == rwlease::ReleaseResult::released;
  lock.close();
  return in_force && released;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 2;
  try {
    if (argc == 2) result = rewrite(argv[1]) ? 0 : 1;
  } catch (const rwlease::Error& error) {
    std::cerr << "collective: " << error.what() << '\n';
    result = 1;
  }
  MPI_Finalize();
  return result;
}
