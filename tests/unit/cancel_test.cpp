// Ending a wait: by another's word or by the clock. Nothing stays behind.
#include "support/fake_acquisition.hpp"

#include <rwlease/cancel.hpp>

#include <poll.h>

namespace rwlease::test {
namespace {

bool readable(const Cancel& cancel) {
  struct pollfd source = {cancel.descriptor(), POLLIN, 0};
  return ::poll(&source, 1, 0) == 1;
}

TEST(CancelTest, StaysUntilItIsReset) {
  Cancel cancel;
  EXPECT_FALSE(cancel.cancelled());
  EXPECT_FALSE(readable(cancel));
  cancel.cancel();
  cancel.cancel();
  EXPECT_TRUE(cancel.cancelled());
  EXPECT_TRUE(readable(cancel));
  cancel.reset();
  EXPECT_FALSE(cancel.cancelled());
  EXPECT_FALSE(readable(cancel));
  cancel.cancel();
  EXPECT_TRUE(readable(cancel));
}

TEST(CancelTest, LeavesErrnoAlone) {
  Cancel cancel;
  errno = EXDEV;
  cancel.cancel();
  EXPECT_EQ(errno, EXDEV);
}

class EndOfWaitTest : public WorldTest {
 protected:
  // What remains of the waiter's own entries.
  std::size_t entries_beside_the_holders() { return world_.leftovers().size() - before_; }
  void hold(Mode mode) {
    grant_.emplace(mode == Mode::write ? holder_.write() : holder_.read());
    before_ = world_.leftovers().size();
  }

  Actor& holder_ = world_.join();
  Actor& waiter_ = world_.join();
  std::optional<protocol::Grant> grant_;
  std::size_t before_ = 0;
};

// Cancelled at its n-th call, whatever phase that is in.
TEST_F(EndOfWaitTest, CancelledInAnyPhase) {
  for (const auto& [held, wanted] :
       {std::pair(Mode::write, Mode::read), {Mode::write, Mode::write}, {Mode::read, Mode::write}}) {
    for (int nth = 1; nth < 12; ++nth) {
      hold(held);
      Cancel cancel;
      FakeAcquisition acquisition(waiter_);
      waiter_.client.before = [&cancel, n = nth](const Call&) mutable {
        if (--n == 0) cancel.cancel();
        return Verdict();
      };
      EXPECT_THROW(acquisition.run(wanted, Deadline::forever(), &cancel), Cancelled);
      EXPECT_EQ(entries_beside_the_holders(), 0U);
      EXPECT_TRUE(holder_.release(*grant_));
    }
  }
}

TEST_F(EndOfWaitTest, CancelledBeforeItBegan) {
  Cancel cancel;
  cancel.cancel();
  FakeAcquisition acquisition(waiter_);
  waiter_.take_calls();
  EXPECT_THROW(acquisition.run(Mode::write, Deadline::forever(), &cancel), Cancelled);
  EXPECT_TRUE(waiter_.take_calls().empty());
}

TEST_F(EndOfWaitTest, TheDeadlineCoversEveryPhase) {
  for (const auto& [held, wanted] :
       {std::pair(Mode::write, Mode::read), {Mode::write, Mode::write}, {Mode::read, Mode::write}}) {
    hold(held);
    FakeAcquisition acquisition(waiter_);
    EXPECT_FALSE(acquisition.run(wanted, Deadline::after(5ms)));
    EXPECT_EQ(entries_beside_the_holders(), 0U);
    EXPECT_EQ(acquisition.obstacle(), "; in the way: node1." + std::to_string(holder_.host.self().pid));
    EXPECT_TRUE(holder_.release(*grant_));
  }
}

TEST_F(EndOfWaitTest, OneTryDoesNotWait) {
  hold(Mode::write);
  FakeAcquisition acquisition(waiter_);
  EXPECT_FALSE(acquisition.run(Mode::read, Deadline::now()));
  EXPECT_EQ(entries_beside_the_holders(), 0U);
}

TEST_F(EndOfWaitTest, WhatMayPassIsWaitedForAndWhatWillNotIsTold) {
  FakeAcquisition acquisition(waiter_);
  waiter_.client.nth_call(1, {Verdict::refused, ETIMEDOUT});
  EXPECT_TRUE(acquisition.run(Mode::read, Deadline::forever()));
  waiter_.client.nth_call(1, {Verdict::refused, EDQUOT});
  EXPECT_THROW(acquisition.run(Mode::read, Deadline::forever()), Error);
}

}  // namespace
}  // namespace rwlease::test
