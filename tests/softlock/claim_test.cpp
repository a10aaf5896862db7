// One lock by each primitive, step by step, in memory.
#include "softlock/owner.hpp"
#include "softlock/support/town.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::test {
namespace {

using testing::ValuesIn;

class Claims : public SoftLockTest {};
INSTANTIATE_TEST_SUITE_P(By, Claims, ValuesIn(primitives), name_of_primitive);

TEST_P(Claims, OneOwnerAtATimeAndNothingLeft) {
  Citizen& one = join();
  Citizen& other = join();
  ASSERT_TRUE(one.take());
  EXPECT_TRUE(one.claim().mine());
  EXPECT_FALSE(other.take());
  EXPECT_EQ(town_.names(), std::vector<std::string>{"job.lock"});
  EXPECT_TRUE(one.give_back());
  EXPECT_TRUE(town_.names().empty());
  ASSERT_TRUE(other.take());
  EXPECT_FALSE(one.claim().mine());
}

TEST_P(Claims, WhoIsRefusedLearnsWhoHolds) {
  Citizen& one = join();
  Citizen& other = join();
  ASSERT_TRUE(one.take());
  ASSERT_FALSE(other.take());
  const LockOwner owner = softlock::describe(other.claim().in_the_way(), other.host);
  EXPECT_EQ(owner.host, one.host.name());
  EXPECT_EQ(owner.pid, one.host.self().pid);
  EXPECT_EQ(owner.label, "a label");
  EXPECT_EQ(owner.made_by, "rwlease");
  EXPECT_EQ(owner.liveness, Liveness::unknown);
}

TEST_P(Claims, OwnersDeathIsProvenOnItsHost) {
  Citizen& one = join();
  Citizen& beside = town_.join_beside(one);
  Citizen& elsewhere = join();
  ASSERT_TRUE(one.take());
  EXPECT_FALSE(beside.take());
  one.host.die();
  EXPECT_FALSE(elsewhere.wait(10min)) << "nothing proves it there, and the owner promised nothing";
  EXPECT_TRUE(beside.take());
}

TEST_P(Claims, ProofIsNotTrustedWhereItShallNotBe) {
  Citizen& one = join();
  Citizen& beside = town_.join_beside(one);
  beside.trust_proof_of_death = false;
  ASSERT_TRUE(one.take());
  one.host.die();
  EXPECT_FALSE(beside.wait(10min));
}

TEST_P(Claims, StaleAgeIsSeenOutFromTheLastSignOfLife) {
  Citizen& one = join();
  Citizen& other = join();
  one.stale = other.stale = 60s;
  ASSERT_TRUE(one.take());
  EXPECT_FALSE(other.wait(30s));
  EXPECT_EQ(one.claim().beat(), protocol::Beat::counted);
  EXPECT_FALSE(other.wait(59s));
  EXPECT_TRUE(other.wait(2s));
  EXPECT_FALSE(one.holds()) << "its own clock tells it before";
  EXPECT_EQ(one.claim().beat(), protocol::Beat::gone);
  EXPECT_FALSE(one.give_back());
  EXPECT_TRUE(other.claim().mine());
}

TEST_P(Claims, OwnersPromiseOutlastsAHastyObserver) {
  Citizen& one = join();
  Citizen& hasty = join();
  one.stale = 600s;
  hasty.stale = 4s;
  ASSERT_TRUE(one.take());
  EXPECT_FALSE(hasty.wait(598s));
  EXPECT_TRUE(hasty.wait(4s));
}

TEST_P(Claims, NeverMeansNever) {
  Citizen& one = join();
  Citizen& patient = join();
  one.stale = 60s;
  ASSERT_TRUE(one.take());
  EXPECT_FALSE(patient.wait(1h));
}

TEST_P(Claims, FileAgeRuleTakesALiveLockAndSaysSo) {
  Citizen& one = join();
  Citizen& classic = join();
  classic.stale = 60s;
  classic.by_file_age = true;
  ASSERT_TRUE(one.take());
  town_.advance(59s);
  EXPECT_FALSE(classic.take());
  town_.advance(2s);
  EXPECT_TRUE(classic.take());
  const auto warned = [](const std::string& line) { return line.find("two may work at once") != std::string::npos; };
  EXPECT_TRUE(std::any_of(town_.log.begin(), town_.log.end(), warned));
  EXPECT_FALSE(one.claim().mine());
  EXPECT_FALSE(one.give_back());
  EXPECT_TRUE(classic.claim().mine());
}

// The observer's clock says another century than the server's.
TEST_P(Claims, FileAgeIsByTheServersClock) {
  Citizen& one = join();
  Citizen& classic = join();
  classic.stale = 60s;
  classic.by_file_age = true;
  classic.clock.advance_real(std::chrono::hours(24 * 365));
  ASSERT_TRUE(one.take());
  EXPECT_FALSE(classic.take());
}

// The lock was removed by hand and is another's by now.
TEST_P(Claims, OwnerWhoseLockWasTakenTouchesNobodyElses) {
  Citizen& one = join();
  Citizen& other = join();
  ASSERT_TRUE(one.take());
  if (GetParam() == Primitive::directory) {
    const std::string marker = "job.lock/" + town_.find("job.lock")->entries.begin()->first;
    town_.unplant(marker);
    town_.unplant("job.lock", true);
  } else {
    town_.unplant("job.lock");
  }
  ASSERT_TRUE(other.take());
  EXPECT_FALSE(one.claim().mine());
  EXPECT_EQ(one.claim().beat(), protocol::Beat::gone);
  EXPECT_FALSE(one.give_back());
  EXPECT_TRUE(other.claim().mine());
}

TEST_P(Claims, HeartbeatsKeepItForEver) {
  Citizen& one = join();
  Citizen& other = join();
  one.stale = other.stale = 60s;
  one.heartbeat = 20s;
  ASSERT_TRUE(one.take());
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(other.wait(20s));
    EXPECT_EQ(one.claim().beat(), protocol::Beat::counted);
    EXPECT_TRUE(one.holds());
  }
  EXPECT_TRUE(one.give_back());
}

TEST_P(Claims, AnEarlierProcessesLockIsAdopted) {
  Citizen& one = join();
  ASSERT_TRUE(one.take());
  Citizen& later = town_.join_beside(one);
  later.host.set_self(one.host.self());
  ASSERT_TRUE(later.claim().adopt());
  EXPECT_TRUE(later.claim().mine());
  EXPECT_FALSE(later.claim().validity().in_force(later.clock)) << "nothing is known of the time before";
  town_.advance(1s);
  EXPECT_EQ(later.claim().beat(), protocol::Beat::counted);
  EXPECT_TRUE(later.give_back());
  EXPECT_TRUE(town_.names().empty());
}

TEST_P(Claims, AStrangersLockIsNotAdopted) {
  Citizen& one = join();
  Citizen& beside = town_.join_beside(one);
  ASSERT_TRUE(one.take());
  EXPECT_FALSE(beside.claim().adopt());
}

}  // namespace
}  // namespace rwlease::test
