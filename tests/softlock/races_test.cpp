// Two who find one stale lock, and a third who comes in between: at every call of each of them.
#include "softlock/support/town.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace rwlease::test {
namespace {

using Nanos = rwlease::fs::Nanoseconds;

// What stands in the way of the first two.
enum class Dead { owner, foreign, unfinished };

struct Race {
  Primitive primitive;
  Dead dead;
};

std::string name_of(const testing::TestParamInfo<Race>& info) {
  const char* const deads[] = {"Owner", "Foreign", "Unfinished"};
  return name_of_primitive({info.param.primitive, 0}) + deads[static_cast<int>(info.param.dead)];
}

class Races : public testing::TestWithParam<Race> {};
INSTANTIATE_TEST_SUITE_P(
    By, Races,
    testing::Values(Race{Primitive::hard_link, Dead::owner}, Race{Primitive::hard_link, Dead::foreign},
                    Race{Primitive::directory, Dead::owner}, Race{Primitive::directory, Dead::foreign},
                    Race{Primitive::directory, Dead::unfinished}, Race{Primitive::exclusive_file, Dead::owner},
                    Race{Primitive::exclusive_file, Dead::foreign}, Race{Primitive::exclusive_file, Dead::unfinished}),
    name_of);

// A town with something stale at the lock's name and three who want it, all of whom have watched it long enough.
struct Scenario {
  explicit Scenario(const Race& race) {
    if (race.dead == Dead::owner) {
      Citizen& dead = town.join(race.primitive);
      dead.stale = 60s;
      EXPECT_TRUE(dead.take());
    } else {
      const bool directory = race.primitive == Primitive::directory;
      const mode_t mode = (directory ? 0755 : 0644) | (race.dead == Dead::unfinished ? 01000 : 0);
      town.plant("job.lock", directory ? fs::Type::directory : fs::Type::file, "", mode);
    }
    for (Citizen*& citizen : all) {
      citizen = &town.join(race.primitive);
      citizen->stale = 60s;
      citizen->foreign_stale = 60s;
    }
    // They watch it in turn, until one more look will do.
    const Nanos window = race.dead == Dead::unfinished ? Nanos(10s) : Nanos(60s);
    for (Nanos watched{0}; watched < window; watched += 1s) {
      for (Citizen* citizen : all) EXPECT_FALSE(citizen->take());
      town.advance(1s);
    }
    for (Citizen* citizen : all) citizen->client.calls.clear();
  }

  // Nobody who holds it has lost it, and no two do.
  void judge(const std::string& when) {
    int holders = 0;
    for (Citizen* citizen : all) {
      if (!citizen->holds()) continue;
      ++holders;
      EXPECT_TRUE(citizen->owns()) << when << ": a live lock was removed";
    }
    EXPECT_LE(holders, 1) << when;
  }

  Town town;
  Citizen* all[3] = {};
};

// Before the n-th call of `citizen`, once.
void before_call(Citizen& citizen, int n, std::function<void()> action) {
  citizen.client.before = [n, action = std::move(action)](const Call&) mutable -> Verdict {
    if (--n == 0) action();
    return {};
  };
}

int calls_of_a_try(const Race& race) {
  Scenario alone(race);
  EXPECT_TRUE(alone.all[0]->take());
  return static_cast<int>(alone.all[0]->client.calls.size());
}

// B comes before A's n-th call; C comes before B's m-th.
TEST_P(Races, ThreeReclaimersNestedAtEveryCall) {
  const int calls = calls_of_a_try(GetParam());
  ASSERT_GT(calls, 5);
  int won = 0;
  for (int n = 1; n <= calls; ++n) {
    for (int m = 1; m <= calls; ++m) {
      Scenario scenario(GetParam());
      auto& [a, b, c] = scenario.all;
      before_call(*a, n, [&, b = b, c = c] {
        before_call(*b, m, [c = c] { c->take(); });
        b->take();
      });
      a->take();
      scenario.judge("B at " + std::to_string(n) + ", C at " + std::to_string(m));
      won += a->holds() || b->holds() || c->holds() ? 1 : 0;
    }
  }
  EXPECT_GT(won, calls) << "somebody usually gets it";
}

// B takes the stale lock away in the middle of A's try and gives its own back, and C takes it: A must not touch C's.
TEST_P(Races, SuccessorsLockIsNeverRemoved) {
  const int calls = calls_of_a_try(GetParam());
  for (int n = 1; n <= calls; ++n) {
    Scenario scenario(GetParam());
    auto& [a, b, c] = scenario.all;
    before_call(*a, n, [b = b, c = c] {
      if (b->take()) {
        EXPECT_TRUE(b->give_back());
      }
      c->take();
    });
    a->take();
    scenario.judge("before call " + std::to_string(n) + " of A, " +
                   (a->client.calls.size() >= static_cast<std::size_t>(n)
                        ? a->client.calls[static_cast<std::size_t>(n) - 1]
                        : ""));
  }
}

// The same when A is stopped there for long, so that the others may count on its being over. One place remains, the
// one that docs/softlock.md names: between A's last look at the clock and its removal of the stale lock's name.
TEST_P(Races, StoppedReclaimerHitsNobodyButAtTheRemovalItself) {
  const int calls = calls_of_a_try(GetParam());
  for (int n = 1; n <= calls; ++n) {
    Scenario scenario(GetParam());
    auto& [a, b, c] = scenario.all;
    bool removal = false;
    a->client.before = [&, left = n, b = b](const Call& call) mutable -> Verdict {
      if (--left != 0) return {};
      removal = call.name == "job.lock" && (call.operation == "remove" || call.operation == "rmdir");
      if (!removal) b->wait(30s);
      return {};
    };
    a->take();
    if (removal) continue;
    scenario.judge("stopped before call " + std::to_string(n));
    c->take();
    scenario.judge("stopped before call " + std::to_string(n) + ", then C");
  }
}

// Whoever dies in the middle of it leaves nothing that stops the next one for longer than the window and the stale age.
TEST_P(Races, ReclaimerThatDiesHoldsNobodyUp) {
  const int calls = calls_of_a_try(GetParam());
  for (int n = 1; n <= calls; ++n) {
    Scenario scenario(GetParam());
    auto& [a, b, c] = scenario.all;
    a->die_at(n);
    EXPECT_THROW(a->take(), Killed) << n;
    EXPECT_TRUE(b->wait(90s)) << n;
    EXPECT_TRUE(b->owns());
    EXPECT_FALSE(c->take());
    EXPECT_TRUE(b->give_back());
  }
}

}  // namespace
}  // namespace rwlease::test
