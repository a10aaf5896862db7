// Per-process leases under load: whoever is in by the referee's book excludes whom it should.
#include "book.hpp"
#include "context.hpp"
#include "holder.hpp"

#include <random>

namespace rwlease::selftest {
namespace {

constexpr int one_in_four_writes = 4;
constexpr int longest_hold_us = 4000;

}  // namespace

void test_exclusion(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  const auto end = Clock::now() + budget;
  {
    Holder holder(context, log, "exclusion");
    std::minstd_rand random(static_cast<unsigned>(context.all.rank()) + 1);
    int turn = context.all.rank();
    const int least_turns = turn + one_in_four_writes;
    bool goes_on = true;
    for (; goes_on && (turn < least_turns || Clock::now() < end); ++turn) {
      const Mode mode = turn % one_in_four_writes == 0 ? Mode::write : Mode::read;
      goes_on = holder.stay(mode, std::chrono::microseconds(random() % longest_hold_us));
    }
  }
  context.all.barrier();
  if (context.referee != nullptr) judge_book(context, log, "process");
}

}  // namespace rwlease::selftest
