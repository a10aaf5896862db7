// Before MPI_Init, across MPI_Finalize and after it. A program of its own, because there is one of each in a process.
//
// finalize_test RANKS
#include "test_options.hpp"
#include "world.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

namespace {

using namespace std::chrono_literals;
using namespace rwlease::mpi::test;
namespace fs = std::filesystem;

int failures = 0;
int own_rank = -1;  // known after MPI_Finalize too

void expect(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::printf("rank %d: failed: %s\n", own_rank, what.c_str());
  std::fflush(stdout);
}

void expect_usage_error(const std::string& outcome, const std::string& word) {
  expect(outcome.rfind("UsageError", 0) == 0 && outcome.find(word) != std::string::npos, word + " in: " + outcome);
}

bool writer_stands(const fs::path& name) { return rwlease::Lock(name).status().writer_stands; }

void before_init() {
  const auto make = [] { rwlease::mpi::Lock lock(MPI_COMM_WORLD, "nowhere/data", steady()); };
  expect_usage_error(outcome_of(make), "not initialised");
}

// What is open when MPI is finalised.
struct Open {
  explicit Open(const fs::path& directory)
      : held_lock(MPI_COMM_WORLD, directory / "held", steady()),
        held(held_lock.acquire(rwlease::Mode::write)),
        dropped_lock(std::in_place, MPI_COMM_WORLD, directory / "dropped", steady()),
        dropped(dropped_lock->acquire(rwlease::Mode::write)),
        idle_lock(MPI_COMM_WORLD, directory / "idle", steady()) {
    dropped.reset();
    dropped_lock.reset();
  }

  rwlease::mpi::Lock held_lock;
  rwlease::mpi::Lease held;
  std::optional<rwlease::mpi::Lock> dropped_lock;
  std::optional<rwlease::mpi::Lease> dropped;
  rwlease::mpi::Lock idle_lock;
};

// The last rank works on while the root is in MPI_Finalize: the lease must stand until it comes too.
void work_on_while_the_root_finalises(const fs::path& directory, const Open& open) {
  while (!fs::exists(directory / "root-finalises")) std::this_thread::sleep_for(2ms);
  for (int look = 0; look < 50; ++look) {
    expect(open.held.valid() && writer_stands(directory / "held"), "the lease stands while a rank works under it");
    std::this_thread::sleep_for(10ms);
  }
}

// A collective call that the others do not make; they tell it so, from inside MPI_Finalize, on whatever lock it is.
void call_out_of_step(Open& open) {
  expect_usage_error(outcome_of([&] { open.idle_lock.try_acquire(rwlease::Mode::read); }), "MPI_Finalize");
  expect_usage_error(outcome_of([&] { open.held.check(); }), "MPI_Finalize");
}

void after_finalize(const fs::path& directory, Open& open) {
  expect(!open.held.valid(), "a lease does not outlast MPI_Finalize");
  expect(!writer_stands(directory / "held"), "the held lease was given back");
  expect(!writer_stands(directory / "dropped"), "the dropped lease was given back");
  expect_usage_error(outcome_of([&] { open.idle_lock.acquire(rwlease::Mode::read); }), "finalised");
  expect_usage_error(outcome_of([&] { rwlease::mpi::Lock lock(MPI_COMM_WORLD, "x", steady()); }), "finalised");
  expect(open.held.release() == rwlease::ReleaseResult::already_lost, "release after MPI_Finalize is harmless");
  open.held_lock.close();
}

}  // namespace

int main(int argc, char** argv) {
  before_init();
  MPI_Init(&argc, &argv);
  own_rank = world_rank();
  const bool many = world_size() > 1;
  const bool last = own_rank == world_size() - 1;
  if (argc < 2 || std::atoi(argv[1]) != world_size()) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);

  std::optional<rwlease::test::Scratch> scratch;
  if (own_rank == 0) scratch.emplace();
  const fs::path directory = gather(scratch ? scratch->directory().string() : "").at(0);

  auto open = std::make_unique<Open>(directory);
  if (own_rank == 0) {
    expect(writer_stands(directory / "dropped") == many, "dropped on all, but no rank knows of the others");
    std::ofstream(directory / "root-finalises") << "now";
  }
  if (many && last) {
    work_on_while_the_root_finalises(directory, *open);
    call_out_of_step(*open);
  }
  MPI_Finalize();

  if (own_rank == 0) after_finalize(directory, *open);
  open.reset();  // no MPI call is left to make
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
