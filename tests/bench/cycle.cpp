// One uncontended acquire and release, in a directory of the caller's choice: rwlease, the bare system calls, and what
// C programs use instead.
//
// Usage: bench-cycle DIRECTORY CYCLES [Google Benchmark's options]; CYCLES 0: as many as the time allows.
#include "bench/bare.hpp"
#include "bench/quantile.hpp"

#include <rwlease/lock.hpp>

#include <benchmark/benchmark.h>
#ifdef RWLEASE_HAS_LIBLOCKFILE
#include <lockfile.h>
#endif

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace rwlease::bench {
namespace {

using Cycle = std::function<void()>;
using Microseconds = std::chrono::duration<double, std::micro>;

void require(bool succeeded, const char* call) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), call);
}

// Google Benchmark's own figure is a mean, in which one slow cycle of the journal hides all others.
void run(benchmark::State& state, const Cycle& cycle) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> samples;
  samples.reserve(1U << 20U);
  try {
    for (auto _ : state) {
      const auto begin = Clock::now();
      cycle();
      samples.push_back(Microseconds(Clock::now() - begin).count());
    }
    state.counters["p50"] = quantile(samples, 0.5);
    state.counters["p99"] = quantile(samples, 0.99);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

class Bench {
 public:
  Bench(std::string directory, long cycles) : directory_(std::move(directory)), cycles_(cycles) {}

  void add(const std::string& name, const Cycle& cycle) const {
    auto* added = benchmark::RegisterBenchmark(name.c_str(), [cycle](benchmark::State& state) { run(state, cycle); });
    if (cycles_ > 0) added->Iterations(cycles_);
  }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

 private:
  const std::string directory_;
  const long cycles_;
};

// The first lease makes the lock directory and starts the threads. Returns what a marker says.
std::string warm_up(Lock& lock) {
  lock.acquire(Mode::write).release();
  const Lease lease = lock.acquire(Mode::read);
  return std::filesystem::read_symlink(lock.directory() / lease.marker()).string();
}

void add_all(const Bench& bench, Lock& lock, Bare& bare, int file) {
  bench.add("rwlease/read", [&] { lock.acquire(Mode::read).release(); });
  bench.add("bare calls/read", [&] { bare.read(); });
  bench.add("rwlease/write", [&] { lock.acquire(Mode::write).release(); });
  bench.add("bare calls/write", [&] { bare.write(); });
  bench.add("bare calls/write without fence", [&] { bare.write_without_fence(); });
  bench.add("flock/write", [file] { require(::flock(file, LOCK_EX) == 0 && ::flock(file, LOCK_UN) == 0, "flock"); });
#ifdef RWLEASE_HAS_LIBLOCKFILE
  const std::string name = bench.path("liblockfile.lock");
  bench.add("liblockfile/write", [name] {
    require(::lockfile_create(name.c_str(), 0, L_PID) == L_SUCCESS && ::lockfile_remove(name.c_str()) == 0, "lockfile");
  });
#endif
}

void measure(const std::string& directory, long cycles) {
  const Bench bench(directory, cycles);
  Options options;
  options.stand_back = std::chrono::milliseconds(0);
  Lock lock(bench.path("data"), options);
  Bare bare(bench.path("bare"), warm_up(lock));
  const int file = ::open(bench.path("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  require(file != -1, "open");
  add_all(bench, lock, bare, file);
  benchmark::RunSpecifiedBenchmarks();
  ::close(file);
}

}  // namespace
}  // namespace rwlease::bench

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string place = arguments[1];
  const long cycles = std::strtol(arguments[2], nullptr, 10);
  arguments[2] = arguments[0];
  count -= 2;
  benchmark::Initialize(&count, arguments + 2);
  if (benchmark::ReportUnrecognizedArguments(count, arguments + 2)) return 2;
  try {
    rwlease::bench::measure(place, cycles);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
