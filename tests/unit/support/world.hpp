// A lock directory in memory and the participants that use it, each on a host of its own or on a shared one.
#pragma once

#include "protocol/attempt.hpp"
#include "protocol/lock_directory.hpp"
#include "support/fake_host.hpp"
#include "support/memory_directory.hpp"

#include <rwlease/error.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::test {

using namespace std::chrono_literals;

inline constexpr char lock_path[] = "/scratch/data.rwlease";

class World;

// One process that uses the lock. Its settings may be changed until it is asked for its site.
struct Actor {
  Actor(World& world_in, const std::shared_ptr<Machine>& machine, pid_t pid, const Caller& caller);

  // Opens the lock directory if need be; the calls for it are not recorded.
  protocol::Site site();
  std::unique_ptr<protocol::Attempt> reader() { return protocol::make_read_attempt(site()); }
  std::unique_ptr<protocol::Attempt> writer() { return protocol::make_write_attempt(site()); }

  // Acquired in one step, or the test fails.
  protocol::Grant read();
  protocol::Grant write();

  bool release(const protocol::Grant& grant) { return protocol::release_marker(site(), grant.marker); }

  // Since the last time.
  std::vector<std::string> take_calls() { return std::exchange(client.calls, {}); }

  World& world;
  ManualClock clock;
  FakeHost host;
  Client client;
  MemoryFileSystem file_system{client};
  protocol::Ledger ledger;
  protocol::Terms terms{30s, 90s, 9s};
  protocol::MarkerKind kind = protocol::MarkerKind::symlink;
  protocol::Access access;
  bool trust_proof_of_death = true;
  JobOracle job_oracle;
  BatchJob batch;
  bool sole = true;
  pid_t process_group = 0;
  std::unique_ptr<fs::Directory> directory;
};

class World {
 public:
  World();

  // On a machine of its own, or beside another actor.
  Actor& join(const Caller& caller = {});
  Actor& join_beside(Actor& other);

  // Time passes on every clock.
  void advance(Nanoseconds duration);

  // Steps the attempt after each pause until it is granted; nothing when that takes longer.
  std::optional<protocol::Grant> wait_for(protocol::Attempt& attempt, Nanoseconds longest, Nanoseconds pause = 1s);

  // Names in the lock directory, or below it, markers as '#' and number, fences left out.
  std::vector<std::string> names(const std::string& below = "");

  // Everything in it that is no fence and not the empty readers/.
  std::vector<std::string> leftovers();

  // Puts an entry there, as somebody else who knows nothing of the protocol would.
  void plant(const std::string& name, fs::Type type, const std::string& content = "");
  void unplant(const std::string& name);
  void move(const std::string& from, const std::string& to);
  void touch(const std::string& name);

  // With everything in it.
  void remove_lock_directory();
  NodePtr node(const std::string& name = "");

  ManualClock server{Nanoseconds(5min), std::chrono::hours(24 * 365 * 50)};
  MemoryTree tree{server};
  Tokens tokens;
  std::vector<std::string> log;  // what any of them said

 private:
  void collect(const NodePtr& directory, const std::string& path, std::vector<std::string>& found);

  std::deque<Actor> actors_;
  pid_t last_pid_ = 4000;
};

// The name of a parametrized test: its parameter's `name`.
struct NameOfParameter {
  template <class Info>
  std::string operator()(const Info& test) const {
    return test.param.name;
  }
};

// For tests of the protocol: at the end no token may have got into the log.
class WorldTest : public ::testing::Test {
 protected:
  void TearDown() override;

  World world_;
};

bool mentions_token(const std::string& text);

}  // namespace rwlease::test
