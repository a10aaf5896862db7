// Every call of a try and of a give-back fails once, in every way; or its process dies there.
#include "softlock/support/town.hpp"

#include <rwlease/error.hpp>

#include <cerrno>

namespace rwlease::test {
namespace {

class Faults : public SoftLockTest {};
INSTANTIATE_TEST_SUITE_P(By, Faults, testing::ValuesIn(primitives), name_of_primitive);

struct Fault {
  const char* name;
  Verdict verdict;
};

constexpr Fault faults[] = {
    {"refused, EIO", {Verdict::refused, EIO}},
    {"refused, ENOSPC", {Verdict::refused, ENOSPC}},
    {"refused, EACCES", {Verdict::refused, EACCES}},
    {"reply lost, EIO", {Verdict::reply_lost, EIO}},
    {"reply lost, EEXIST", {Verdict::reply_lost, EEXIST}},
    {"carried out late, EIO", {Verdict::late, EIO}},
};

int calls_of_a_try(Primitive primitive) {
  Town town;
  Citizen& one = town.join(primitive);
  EXPECT_TRUE(one.take());
  return static_cast<int>(one.client.calls.size());
}

// Whatever happened to one, the other gets the lock in the end, unless one rightly has it; and never both.
TEST_P(Faults, OfATry) {
  const int calls = calls_of_a_try(GetParam());
  ASSERT_GE(calls, 4);
  for (const Fault& fault : faults) {
    for (int n = 1; n <= calls; ++n) {
      const std::string when = std::string(fault.name) + " at call " + std::to_string(n);
      Town town;
      Citizen& one = town.join(GetParam());
      Citizen& other = town.join(GetParam());
      one.stale = other.stale = 60s;
      one.fail_at(n, fault.verdict);
      const bool holds = one.take();
      if (holds) {
        EXPECT_TRUE(one.owns()) << when;
        EXPECT_FALSE(other.take()) << when;
        one.client.carry_out_late();
        EXPECT_TRUE(one.owns()) << when << ", carried out";
        EXPECT_TRUE(one.give_back()) << when;
      }
      EXPECT_TRUE(other.wait(120s)) << when;
      one.client.carry_out_late();
      EXPECT_TRUE(other.owns()) << when << ", carried out";
    }
  }
}

TEST_P(Faults, OfAGiveBack) {
  for (const Fault& fault : faults) {
    for (int n = 1; n <= 6; ++n) {
      const std::string when = std::string(fault.name) + " at call " + std::to_string(n);
      Town town;
      Citizen& one = town.join(GetParam());
      Citizen& other = town.join(GetParam());
      one.stale = other.stale = 60s;
      ASSERT_TRUE(one.take());
      one.fail_at(n, fault.verdict);
      try {
        one.give_back();
      } catch (const Error&) {
        // It is waited out.
      }
      EXPECT_TRUE(other.wait(120s)) << when;
      EXPECT_TRUE(other.owns()) << when;
    }
  }
}

// Before any call of its life the owner is killed. Beside it, on the same host, the next one need not wait for its
// promise, which is for ever, but at most for what was never finished.
TEST_P(Faults, KilledAtEveryCallAndFoundDeadOnItsHost) {
  const int calls = calls_of_a_try(GetParam());
  for (int n = 1; n <= calls + 4; ++n) {
    Town town;
    Citizen& one = town.join(GetParam());
    Citizen& beside = town.join_beside(one);
    one.die_at(n);
    try {
      if (one.take()) one.give_back();
    } catch (const Killed&) {
      EXPECT_TRUE(beside.wait(15s)) << n;
      EXPECT_TRUE(beside.owns()) << n;
    }
  }
}

TEST_P(Faults, KilledAtEveryCallAndWaitedOutElsewhere) {
  const int calls = calls_of_a_try(GetParam());
  for (int n = 1; n <= calls + 4; ++n) {
    Town town;
    Citizen& one = town.join(GetParam());
    Citizen& elsewhere = town.join(GetParam());
    one.stale = elsewhere.stale = 60s;
    one.die_at(n);
    try {
      if (one.take()) one.give_back();
    } catch (const Killed&) {
      EXPECT_TRUE(elsewhere.wait(75s)) << n;
      EXPECT_TRUE(elsewhere.owns()) << n;
    }
  }
}

// Stopped for a minute before any of its calls: what it comes back to may be another's.
TEST_P(Faults, StoppedAtEveryCall) {
  const int calls = calls_of_a_try(GetParam());
  for (int n = 1; n <= calls; ++n) {
    Town town;
    Citizen& one = town.join(GetParam());
    Citizen& other = town.join(GetParam());
    one.stale = other.stale = 40s;
    int left = n;
    one.client.before = [&](const Call&) -> Verdict {
      if (--left == 0) other.wait(60s);
      return {};
    };
    one.take();
    EXPECT_LE(one.holds() + other.holds(), 1) << n;
    EXPECT_TRUE(!one.holds() || one.owns()) << n;
    EXPECT_TRUE(!other.holds() || other.owns()) << n;
  }
}

}  // namespace
}  // namespace rwlease::test
