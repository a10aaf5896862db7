// mpi_writer DATA ROUNDS LEASE: the ranks of a communicator rewrite DATA together under one write lease, round after
// round.
//
// Each rank writes its part beside the data set, DATA.new; rank 0 renames the whole into place. So a job that is
// stopped, killed or loses its lease leaves the last complete version, and can simply run again.
#include <rwlease/mpi.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

volatile std::sig_atomic_t told_to_stop = 0;

void on_term(int) { told_to_stop = 1; }

// Slurm's TERM reaches the ranks at different moments, and some maybe never: they go by what any of them was told.
bool any_told_to_stop() {
  int mine = told_to_stop;
  int any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any != 0;
}

// Your computation goes here. It needs no lease.
void compute() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

std::string line_of(int round, int rank) {
  char line[48];
  std::snprintf(line, sizeof line, "round %8d of rank %8d\n", round, rank);
  return line;
}

// Every rank its line at its place; closed, so that the next holder sees it.
bool write_part(const std::string& file, int round, int rank) {
  const std::string line = line_of(round, rank);
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(line.size()) * rank);
  out << line;
  out.close();
  return !out.fail();
}

enum class Outcome { done, stopped, lost };

// The lease is asked right before the writing, not after it, and by all ranks together: they write, or none does.
Outcome write_round(rwlease::mpi::Lock& lock, rwlease::mpi::Lease& lease, int round) {
  compute();
  if (any_told_to_stop()) return Outcome::stopped;
  if (lease.check() != rwlease::LeaseState::valid) return Outcome::lost;
  const std::string data = lock.name();
  const std::string aside = data + ".new";
  if (lock.rank() == 0) std::ofstream(aside, std::ios::trunc).close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (!write_part(aside, round, lock.rank())) throw std::runtime_error("cannot write " + aside);
  lease.publish(aside, data);  // all ranks have come, and the lease is still in force
  return Outcome::done;
}

Outcome write_all(const std::string& data, int rounds, int lease_seconds) {
  rwlease::Options options;
  options.lease = std::chrono::seconds(lease_seconds);
  options.interval = *options.lease / 3;
  rwlease::mpi::Lock lock(MPI_COMM_WORLD, data, options);
  rwlease::mpi::Lease lease = lock.acquire(rwlease::Mode::write);
  Outcome outcome = Outcome::done;
  for (int round = 1; round <= rounds && outcome == Outcome::done; ++round) outcome = write_round(lock, lease, round);
  lease.release();
  lock.close();
  if (lock.rank() == 0 && outcome == Outcome::done) std::printf("%d rounds by %d ranks\n", rounds, lock.size());
  return outcome;
}

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return 0;
    case Outcome::stopped:
      return 128 + SIGTERM;
    case Outcome::lost:
      return rwlease::mpi::exit_code_lost;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::signal(SIGTERM, on_term);
  int code = 1;
  try {
    if (argc != 4) throw std::invalid_argument("usage: mpi_writer DATA ROUNDS LEASE");
    code = exit_code(write_all(argv[1], std::atoi(argv[2]), std::atoi(argv[3])));
  } catch (const std::exception& error) {
    // One rank alone may be here, and the others wait for it.
    std::fprintf(stderr, "mpi_writer: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
