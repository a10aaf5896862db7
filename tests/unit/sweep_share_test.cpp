// A sweep looks at its share of many leftovers at a time, so that the heartbeat behind it need not wait.
#include "protocol/sweep.hpp"

#include "support/world.hpp"

#include <algorithm>

namespace rwlease::test {
namespace {

class SweepShareTest : public WorldTest {
 protected:
  void plant(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string digits = std::to_string(100 + i);
      const protocol::MarkerId id{"node9", 7, 90'000ms, std::string(32 - digits.size(), 'a') + digits};
      world_.plant("." + id.text(), fs::Type::symlink, "x");
    }
  }
  std::ptrdiff_t looks_of_one_call() {
    sweeper_.take_calls();
    sweep_.look();
    const auto calls = sweeper_.take_calls();
    return std::count_if(calls.begin(), calls.end(), [](const auto& call) { return call.compare(0, 4, "look") == 0; });
  }

  Actor& sweeper_ = world_.join();
  protocol::Sweep sweep_{sweeper_.site()};
};

TEST_F(SweepShareTest, OneCallLooksAtAFewAndTheNextGoesOnAtOnce) {
  plant(40);
  sweep_.add_from_lock_directory();
  EXPECT_EQ(looks_of_one_call(), 16);
  EXPECT_EQ(sweep_.pace(), 0s);
  EXPECT_EQ(looks_of_one_call(), 16);
  EXPECT_EQ(sweep_.pace(), 0s);
  EXPECT_EQ(looks_of_one_call(), 8);
  EXPECT_GT(sweep_.pace(), 0s) << "the round is over";
}

TEST_F(SweepShareTest, AllGoInTheEnd) {
  plant(40);
  sweep_.add_from_lock_directory();
  ASSERT_EQ(world_.leftovers().size(), 40U);
  for (Nanoseconds passed{0}; passed < 600s && sweep_.look(); passed += sweep_.pace()) world_.advance(sweep_.pace());
  EXPECT_EQ(world_.leftovers(), std::vector<std::string>());
  EXPECT_FALSE(sweep_.look());
}

}  // namespace
}  // namespace rwlease::test
