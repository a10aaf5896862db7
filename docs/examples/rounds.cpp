// The ranks of a communicator compute, check and write, round after round: rounds FILE ROUNDS
#include <rwlease/mpi.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

// Here each rank would write its part.
void write_part(const std::string& file, int round, int rank) {
  if (rank == 0) std::ofstream(file) << "round " << round << '\n';
  MPI_Barrier(MPI_COMM_WORLD);
}

void write_rounds(const std::string& data, int rounds) {
  rwlease::mpi::Lock lock(MPI_COMM_WORLD, data);
  rwlease::mpi::Lease lease = lock.acquire(rwlease::Mode::write);
  for (int round = 1; round <= rounds; ++round) {
    // Compute here, for as long as it takes.
    if (lease.check() != rwlease::LeaseState::valid) break;  // the same on all ranks
    write_part(data + ".new", round, lock.rank());
    lease.publish(data + ".new", data);
  }
  lease.release();
  lock.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  try {
    if (argc == 3) {
      write_rounds(argv[1], std::atoi(argv[2]));
      code = 0;
    }
  } catch (const rwlease::Error& error) {
    std::cerr << "rounds: " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
