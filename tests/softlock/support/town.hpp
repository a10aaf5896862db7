// Participants of one soft lock on a file system in memory, each on a host of its own or beside another.
#pragma once

#include "softlock/claim.hpp"
#include "softlock/support/primitives.hpp"
#include "support/fake_host.hpp"
#include "support/memory_directory.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rwlease::test {

using namespace std::chrono_literals;
using softlock::Standing;

// kill -9: it goes through all of the library's code up to the test. Not an exception that anybody catches.
struct Killed {};

class Town;

// One process. Its settings may be changed until it is asked for its claim.
struct Citizen {
  Citizen(Town& town, Primitive primitive, std::shared_ptr<Machine> machine, pid_t pid);

  softlock::Claim& claim();

  // Tries; an Error is as good as "no".
  bool take() noexcept(false);

  // Tries again and again, a poll apart, until it gets the lock or so much time has passed (for everybody).
  bool wait(fs::Nanoseconds longest);

  // Believes that it is the owner.
  bool holds() const { return holds_ && claim_->validity().in_force(clock); }

  // By a look at what is there.
  bool owns() { return ever_held_ && claim_->mine(); }

  // Gives back; false when it was not the owner's any more.
  bool give_back();

  // Its n-th call from now on gets this verdict; a question is never answered late.
  void fail_at(int n, const Verdict& verdict);

  // Dies before its n-th call from now on.
  void die_at(int n);

  Town& town;
  const Primitive primitive;
  ManualClock clock;
  FakeHost host;
  Client client;
  std::unique_ptr<fs::Directory> directory;
  protocol::Ledger ledger;
  fs::Nanoseconds stale{0};
  fs::Nanoseconds foreign_stale{0};
  fs::Nanoseconds heartbeat{0};
  bool by_file_age = false;
  bool single_host = false;
  bool trust_proof_of_death = true;
  std::string entry = "job.lock";

 private:
  softlock::Scene scene();

  std::unique_ptr<softlock::Claim> claim_;
  bool holds_ = false;
  bool ever_held_ = false;
};

class Town {
 public:
  Town();

  Citizen& join(Primitive primitive);
  Citizen& join_beside(Citizen& other);

  // Time passes on every clock.
  void advance(fs::Nanoseconds duration);

  // What is in the directory, hidden entries too.
  std::vector<std::string> names();

  // As another program would.
  void plant(const std::string& name, fs::Type type, const std::string& content = "", mode_t mode = 0644);
  void unplant(const std::string& name, bool directory = false);
  NodePtr find(const std::string& name);

  ManualClock server{fs::Nanoseconds(5min), std::chrono::hours(24 * 365 * 50)};
  MemoryTree tree{server};
  Tokens tokens;
  std::vector<std::string> log;
  NodePtr scratch;

 private:
  std::deque<Citizen> citizens_;
  pid_t last_pid_ = 4000;
};

// For tests of one primitive: no token may get into the log.
class SoftLockTest : public testing::TestWithParam<Primitive> {
 protected:
  void TearDown() override;

  Citizen& join() { return town_.join(GetParam()); }

  Town town_;
};

}  // namespace rwlease::test
