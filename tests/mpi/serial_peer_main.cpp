// serial_peer NAME read|write steady|brief: says "waiting", takes the lease, says "held TIME" (CLOCK_BOOTTIME, ns),
// waits for the end of its input, gives back, and says "released while valid" or "released after loss".
#include "test_options.hpp"

#include <time.h>
#include <rwlease/lock.hpp>

#include <cstdio>
#include <exception>
#include <string_view>

namespace {

long long boot_now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void say(const char* line) {
  std::puts(line);
  std::fflush(stdout);
}

void take_and_hold(const char* name, rwlease::Mode mode, const rwlease::Options& options) {
  rwlease::Lock lock(name, options);
  say("waiting");
  rwlease::Lease lease = lock.acquire(mode);
  std::printf("held %lld\n", boot_now());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  const bool valid = lease.valid();
  lease.release();
  say(valid ? "released while valid" : "released after loss");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace std::string_view_literals;
  if (argc != 4) return 2;
  const auto mode = argv[2] == "read"sv ? rwlease::Mode::read : rwlease::Mode::write;
  try {
    take_and_hold(argv[1], mode, argv[3] == "brief"sv ? rwlease::mpi::test::brief() : rwlease::mpi::test::steady());
  } catch (const std::exception& error) {
    std::printf("failed: %s\n", error.what());
    return 1;
  }
  return 0;
}
