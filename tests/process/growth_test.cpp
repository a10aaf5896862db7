// One process with many leases, or with many leases one after another: threads, descriptors and memory stay bounded.
#include "support/scratch.hpp"

#include <rwlease/lock.hpp>

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

// Under a sanitizer malloc is not the C library's and tells nothing; the leak check does. And all takes longer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool heap_is_known = false;
constexpr int pairs_of_cycles = 500;
#else
constexpr bool heap_is_known = true;
constexpr int pairs_of_cycles = 5000;
#endif

namespace rwlease::test {
namespace {

namespace fs = std::filesystem;

// Often enough for a heartbeat of each lease to be awaited.
Options brisk() {
  Options options;
  options.interval = std::chrono::milliseconds(500);
  options.lease = std::chrono::seconds(60);
  options.poll_max = options.interval;
  options.stand_back = std::chrono::milliseconds(0);
  return options;
}

std::ptrdiff_t entries(const char* directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

std::ptrdiff_t threads() { return entries("/proc/self/task"); }
std::ptrdiff_t descriptors() { return entries("/proc/self/fd"); }

// Each lock keeps its directories open, and a thousand may take more than a shell's usual limit.
void allow_all_descriptors() {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// What is allocated at this moment, whatever malloc keeps for later.
std::size_t heap() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

class Growth : public testing::Test {
 protected:
  void cycle(Mode mode) {
    Lease lease = lock_.acquire(mode);
    ASSERT_EQ(lease.release(), ReleaseResult::released);
  }

  void cycles(int pairs) {
    for (int i = 0; i < pairs; ++i) {
      cycle(Mode::read);
      cycle(Mode::write);
    }
  }

  Scratch scratch_;
  Lock lock_{scratch_ / "x", brisk()};
};

TEST_F(Growth, TenThousandCyclesLeaveNothing) {
  // The runtime's threads, what the C library sets up at first use, and tables that grow to their size.
  cycles(100);
  const auto threads_before = threads();
  const auto descriptors_before = descriptors();
  const auto heap_before = heap();
  cycles(pairs_of_cycles);
  EXPECT_LE(threads(), threads_before);
  EXPECT_EQ(descriptors(), descriptors_before);
  // A leak of as little as one byte a cycle would show.
  if (heap_is_known) {
    EXPECT_LT(heap(), heap_before + 10000);
  }
}

TEST_F(Growth, ThousandLeasesTakeNoThreadsOfTheirOwn) {
  allow_all_descriptors();
  std::vector<std::unique_ptr<Lock>> locks;
  std::vector<Lease> leases;
  const auto take = [&] {
    locks.push_back(std::make_unique<Lock>(scratch_ / std::to_string(locks.size()), brisk()));
    leases.push_back(locks.back()->acquire(leases.size() % 2 == 0 ? Mode::read : Mode::write));
  };
  take();
  const auto threads_of_one = threads();
  while (leases.size() < 1000) take();
  EXPECT_LE(threads(), threads_of_one);

  // Each is kept alive: all have more before them than when the last was taken.
  const auto deadline_of = [](const Lease& lease) { return std::chrono::steady_clock::now() + lease.remaining(); };
  std::vector<std::chrono::steady_clock::time_point> first;
  for (const Lease& lease : leases) first.push_back(deadline_of(lease));
  for (std::size_t i = 0; i < leases.size(); ++i) {
    while (deadline_of(leases[i]) < first[i] + brisk().interval / 2) {
      ASSERT_TRUE(leases[i].valid());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // no event tells of a heartbeat
    }
  }

  for (Lease& lease : leases) EXPECT_EQ(lease.release(), ReleaseResult::released);
}

}  // namespace
}  // namespace rwlease::test
