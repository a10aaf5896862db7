// How often an uncontended acquire and release asks for memory: counted exactly, so that it can't grow unnoticed. It
// may shrink: then the figure here does.
#include "support/scratch.hpp"

#include <rwlease/lock.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int> allocations{0};

}  // namespace

// The library's and the standard library's calls come here too; the array and nothrow forms go through it.
void* operator new(std::size_t size) {
  allocations.fetch_add(1);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace rwlease::test {
namespace {

using testing::Le;

class Allocations : public testing::Test {
 protected:
  Allocations() {
    // The first of each opens the lock directory, tries out symlinks, starts the threads and fills the lists.
    for (int i = 0; i < 2; ++i) {
      cycle(Mode::read);
      cycle(Mode::write);
    }
  }

  static Options at_once() {
    Options options;
    options.stand_back = std::chrono::milliseconds(0);
    return options;
  }

  int cycle(Mode mode) {
    const int before = allocations.load();
    lock_.acquire(mode).release();
    return allocations.load() - before;
  }

 private:
  const Scratch scratch_;
  Lock lock_{scratch_ / "data", at_once()};
};

TEST_F(Allocations, OfAReadLease) { EXPECT_THAT(cycle(Mode::read), Le(27)); }
TEST_F(Allocations, OfAWriteLease) { EXPECT_THAT(cycle(Mode::write), Le(46)); }

}  // namespace
}  // namespace rwlease::test
