// rwlease-selftest: can rwlease be relied on in this directory, from these nodes? See docs/selftest.md.
#include "selftest.hpp"

#include <mpi.h>

#include <algorithm>
#include <exception>

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  try {
    const int code = rwlease::selftest::run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    MPI_Finalize();
    return code;
  } catch (const std::exception& error) {
    // It struck this rank alone; the others would wait for it for ever.
    rwlease::selftest::say(std::string("could not go on: ") + error.what());
    MPI_Abort(MPI_COMM_WORLD, rwlease::selftest::exit_refused);
  }
}
