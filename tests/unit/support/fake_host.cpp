#include "support/fake_host.hpp"

#include <cstdio>
#include <cstdlib>

namespace rwlease::test {

std::string Tokens::draw() {
  char text[33];
  std::snprintf(text, sizeof text, "%s%024x", mark, ++last_);
  return text;
}

unsigned Tokens::number(const std::string& token) {
  const std::string prefix = mark;
  if (token.compare(0, prefix.size(), prefix) != 0) return 0;
  return static_cast<unsigned>(std::strtoul(token.c_str() + prefix.size(), nullptr, 16));
}

FakeHost::FakeHost(std::shared_ptr<Machine> machine, pid_t pid, uid_t user, Tokens& tokens)
    : machine_(std::move(machine)), user_(user), tokens_(tokens) {
  constexpr std::uint64_t some_namespace = 4026531836;
  constexpr std::uint64_t some_start = 1000;
  self_ = {machine_->boot_id, some_namespace, pid, some_start + static_cast<std::uint64_t>(pid)};
  machine_->processes[pid] = self_.start;
}

fs::ProcessState FakeHost::state_of(const fs::ProcessIdentity& process) const {
  const bool comparable = process.boot_id == self_.boot_id && process.pidns == self_.pidns && process.start != 0;
  if (!comparable) return fs::ProcessState::unknown;
  const auto running = machine_->processes.find(process.pid);
  const bool same = running != machine_->processes.end() && running->second == process.start;
  return same ? fs::ProcessState::running : fs::ProcessState::gone;
}

std::optional<fs::ProcessIdentity> FakeHost::identify(pid_t pid) const {
  const auto running = machine_->processes.find(pid);
  if (running == machine_->processes.end()) return std::nullopt;
  fs::ProcessIdentity process = self_;
  process.pid = pid;
  process.start = running->second;
  return process;
}

fs::ProcessState FakeHost::state_of_group(pid_t group) const {
  return machine_->groups.count(group) != 0 ? fs::ProcessState::running : fs::ProcessState::gone;
}

}  // namespace rwlease::test
