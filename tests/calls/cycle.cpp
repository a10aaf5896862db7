// One uncontended acquire and release in each mode, between marks that strace shows. The first of each warms up: it
// opens the lock directory, tries out symlinks and starts the threads.
#include <rwlease/lock.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace {

// A call that nothing else makes and that does nothing.
void mark(const char* name) { static_cast<void>(::access(name, F_OK)); }

void cycle(rwlease::Lock& lock, rwlease::Mode mode, const char* name) {
  lock.acquire(mode).release();
  mark(name);
  lock.acquire(mode).release();
  mark("end");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    rwlease::Options options;
    options.stand_back = std::chrono::milliseconds(0);
    rwlease::Lock lock(arguments[1], options);
    cycle(lock, rwlease::Mode::read, "read");
    cycle(lock, rwlease::Mode::write, "write");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
