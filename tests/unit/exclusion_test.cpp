// Two participants, one acting between any two calls of the other: never both in.
#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::Attempt;
using protocol::Progress;
using Make = std::unique_ptr<Attempt> (*)(const protocol::Site&);

struct Pair {
  const char* name;
  Make first;
  Make second;
};

class ExclusionTest : public ::testing::TestWithParam<Pair> {};

// The second takes its whole step before the n-th call of the first. False when there was no such call.
bool meet(const Pair& pair, int nth) {
  World world;
  Actor& one = world.join();
  Actor& two = world.join();
  auto first = pair.first(one.site());
  auto second = pair.second(two.site());
  bool second_in = false;
  bool met = false;
  one.client.before = [&](const Call&) {
    if (--nth == 0) {
      met = true;
      second_in = second->step() == Progress::held;
    }
    return Verdict();
  };
  const bool first_in = first->step() == Progress::held;
  EXPECT_FALSE(first_in && second_in);
  one.client.before = nullptr;
  // Whoever stood back gets in when the other has gone; if both did, a further step decides.
  if (first_in) first.reset();
  if (second_in) second.reset();
  Attempt& left = first ? *first : *second;
  if (first && second) second.reset();
  EXPECT_TRUE(world.wait_for(left, 5s)) << "and nobody is stuck";
  return met;
}

TEST_P(ExclusionTest, WhereverTheyMeet) {
  int nth = 1;
  while (meet(GetParam(), nth)) ++nth;
  EXPECT_GT(nth, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ExclusionTest,
    ::testing::Values(Pair{"ReaderThenWriter", protocol::make_read_attempt, protocol::make_write_attempt},
                      Pair{"WriterThenReader", protocol::make_write_attempt, protocol::make_read_attempt},
                      Pair{"WriterThenWriter", protocol::make_write_attempt, protocol::make_write_attempt}),
    NameOfParameter());

}  // namespace
}  // namespace rwlease::test
