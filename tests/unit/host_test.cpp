// Proof of life and death, from the kernel itself.
#include "fs/host.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <set>

namespace rwlease::fs {
namespace {

class HostTest : public ::testing::Test {
 protected:
  // A child that ends at once; reaped or left as a zombie.
  static pid_t ended_child(bool reaped) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t info = {};
    ::waitid(P_PID, static_cast<id_t>(child), &info, reaped ? WEXITED : WEXITED | WNOWAIT);
    return child;
  }
  ProcessIdentity changed(const std::function<void(ProcessIdentity&)>& change) const {
    ProcessIdentity identity = host_.self();
    change(identity);
    return identity;
  }
  ProcessState state(const std::function<void(ProcessIdentity&)>& change) const {
    return host_.state_of(changed(change));
  }

  const SystemHost host_;
};

TEST_F(HostTest, KnowsItself) {
  EXPECT_EQ(host_.self().pid, ::getpid());
  EXPECT_FALSE(host_.self().boot_id.empty());
  EXPECT_NE(host_.self().pidns, 0U);
  EXPECT_NE(host_.self().start, 0U);
  EXPECT_EQ(host_.state_of(host_.self()), ProcessState::running);
}

TEST_F(HostTest, ANumberThatWasUsedAgainIsGone) {
  EXPECT_EQ(state([](auto& self) { self.start += 1; }), ProcessState::gone);
}

TEST_F(HostTest, WhatCannotBeComparedIsUnknown) {
  EXPECT_EQ(state([](auto& self) { self.boot_id = "another"; }), ProcessState::unknown);
  EXPECT_EQ(state([](auto& self) { self.boot_id = ""; }), ProcessState::unknown);
  EXPECT_EQ(state([](auto& self) { self.pidns += 1; }), ProcessState::unknown);
  EXPECT_EQ(state([](auto& self) { self.pidns = 0; }), ProcessState::unknown);
  EXPECT_EQ(state([](auto& self) { self.start = 0; }), ProcessState::unknown);
  EXPECT_EQ(state([](auto& self) { self.pid = 0; }), ProcessState::unknown);
  EXPECT_EQ(state([](auto& self) { self.pid = -1; }), ProcessState::unknown);
}

TEST_F(HostTest, AProcessThatEndedIsGone) {
  const pid_t child = ended_child(true);
  EXPECT_EQ(state([child](auto& self) { self.pid = child; }), ProcessState::gone);
}

TEST_F(HostTest, AZombieIsGone) {
  const pid_t child = ended_child(false);
  const ProcessIdentity other = SystemHost().self();
  ProcessIdentity zombie = other;
  zombie.pid = child;
  // Its start time is not known here; a wrong one is gone as well, so go through those it can have.
  bool always_gone = true;
  for (std::uint64_t start = other.start; start < other.start + 1000; ++start) {
    zombie.start = start;
    always_gone = always_gone && host_.state_of(zombie) == ProcessState::gone;
  }
  EXPECT_TRUE(always_gone);
  ::waitpid(child, nullptr, 0);
}

TEST_F(HostTest, AGroupIsGoneWhenNobodyIsInIt) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, WUNTRACED);
  EXPECT_EQ(host_.state_of_group(child), ProcessState::running);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(host_.state_of_group(child), ProcessState::gone);
}

TEST_F(HostTest, NoGroupProvesNothing) {
  for (const pid_t group : {-5, 0, 1}) EXPECT_EQ(host_.state_of_group(group), ProcessState::unknown);
}

TEST_F(HostTest, TokensAreHexAndNeverTheSame) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const std::string token = host_.random_token();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(tokens.insert(token).second);
  }
}

}  // namespace
}  // namespace rwlease::fs
