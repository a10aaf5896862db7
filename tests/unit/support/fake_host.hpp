// A host whose processes live and die by the test's word.
#pragma once

#include "fs/host.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace rwlease::test {

// Tokens in the order they are drawn, each marked so that a test finds any that got into a message.
class Tokens {
 public:
  static constexpr char mark[] = "70ce70ce";

  std::string draw();

  // The number of a token that was drawn here; 0 for any other text.
  static unsigned number(const std::string& token);

 private:
  unsigned last_ = 0;
};

// What runs on one machine: shared by the hosts of all participants there.
struct Machine {
  std::string name = "node01";
  std::string boot_id = "boot-1";
  std::map<pid_t, std::uint64_t> processes;  // pid, start
  std::set<pid_t> groups;                    // process groups with somebody in them
};

class FakeHost final : public fs::Host {
 public:
  FakeHost(std::shared_ptr<Machine> machine, pid_t pid, uid_t user, Tokens& tokens);

  std::string name() const override { return machine_->name; }
  std::string boot_id() const override { return machine_->boot_id; }
  fs::ProcessIdentity self() const override { return self_; }
  uid_t user() const override { return user_; }
  std::string random_token() const override { return tokens_.draw(); }

  // By the rule that the seam states.
  fs::ProcessState state_of(const fs::ProcessIdentity& process) const override;
  fs::ProcessState state_of_group(pid_t group) const override;
  std::optional<fs::ProcessIdentity> identify(pid_t pid) const override;

  void die() { machine_->processes.erase(self_.pid); }
  void set_self(const fs::ProcessIdentity& self) { self_ = self; }
  Machine& machine() { return *machine_; }

 private:
  std::shared_ptr<Machine> machine_;
  fs::ProcessIdentity self_;
  uid_t user_;
  Tokens& tokens_;
};

}  // namespace rwlease::test
