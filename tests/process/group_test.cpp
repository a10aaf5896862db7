// A lock that the members of a group share, under any umask. Needs root, to act as several users.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <list>

namespace rwlease::test {
namespace {

Words shared() { return {"sharing=group", "group=60100"}; }
Words alice() { return {"uid=60001", "gid=60001", "groups=60100"}; }
Words bob() { return {"uid=60002", "gid=60002", "groups=60100"}; }
Words outsider() { return {"uid=60003", "gid=60003"}; }

class Group : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can act as several users";
    ASSERT_EQ(::chown(scratch_.directory().c_str(), 60'001, 60'100), 0);
    ASSERT_EQ(::chmod(scratch_.directory().c_str(), 02775), 0);
  }

  Scratch scratch_;
};

TEST_F(Group, MembersExcludeEachOther) {
  Participant one(scratch_ / "x", long_lease + shared() + alice());
  Participant other(scratch_ / "x", long_lease + shared() + bob());
  one.ask("acquire write");
  EXPECT_EQ(other.ask("try read"), "busy");
  EXPECT_EQ(other.ask("try write"), "busy");
  one.ask("release");
  other.ask("acquire write");
  EXPECT_EQ(one.ask("try read"), "busy");
  other.ask("downgrade");
  EXPECT_EQ(one.ask("try read"), "held");
}

TEST_F(Group, MembersEvictEachOther) {
  for (const std::string mode : {"read", "write"}) {
    Participant victim(scratch_ / "x", short_lease + shared() + alice());
    Participant next(scratch_ / "x", short_lease + shared() + bob());
    victim.ask("acquire " + mode);
    victim.kill_hard();
    EXPECT_EQ(next.ask("acquire write"), "yes");
    EXPECT_EQ(next.ask("release"), "released");
  }
}

TEST_F(Group, ClaimsLeftByAMemberAreCleared) {
  Participant victim(scratch_ / "x", short_lease + shared() + alice() + Words{"die=claim-prepared"});
  victim.send("acquire write");
  victim.await_exit();
  Participant next(scratch_ / "x", short_lease + shared() + bob());
  next.ask("acquire write");
  for (int i = 0; i < 40 && !listing_without_fences(scratch_ / "x.rwlease/readers").empty(); ++i) {
    next.hear("none", std::chrono::milliseconds(250));
  }
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease/readers"), std::vector<std::string>{});
}

TEST_F(Group, WorksUnderAnyUmask) {
  for (const char* umask : {"umask=0", "umask=077", "umask=0277", "umask=0777"}) {
    const std::string name = std::string("x") + (umask + 6);
    Participant one(scratch_ / name, long_lease + shared() + alice() + Words{umask});
    Participant other(scratch_ / name, long_lease + shared() + bob() + Words{umask, "tell=claim-refused"});
    one.ask("acquire write");
    other.send("acquire write");
    other.await("point");
    one.ask("release");
    EXPECT_EQ(other.await("done").text, "yes") << umask;
    other.ask("release");
    EXPECT_EQ(one.ask("acquire read"), "yes") << umask;
    one.kill_hard();
    EXPECT_EQ(other.ask("acquire write 20000"), "yes") << umask;
    struct stat raw = {};
    ASSERT_EQ(::stat((scratch_ / (name + ".rwlease")).c_str(), &raw), 0);
    EXPECT_EQ(raw.st_mode & 07777U, 02770U) << umask;
    EXPECT_EQ(raw.st_gid, 60'100U);
  }
}

TEST_F(Group, OutsiderIsRefused) {
  Participant member(scratch_ / "x", long_lease + shared() + alice());
  member.ask("acquire read");
  Participant other(scratch_ / "x", long_lease + Words{"sharing=group"} + outsider());
  EXPECT_EQ(other.refusal("acquire read").substr(0, 15), "UnsafeDirectory");
  Participant owner(scratch_ / "x", long_lease + alice());
  EXPECT_EQ(owner.refusal("acquire read").substr(0, 15), "UnsafeDirectory") << "without group sharing";
  EXPECT_EQ(member.ask("verify"), "yes");
}

TEST_F(Group, AnotherGroupIsRefused) {
  Participant member(scratch_ / "x", long_lease + shared() + alice());
  member.ask("acquire read");
  member.ask("release");
  Participant other(scratch_ / "x", long_lease + Words{"sharing=group", "group=60002"} + bob());
  EXPECT_EQ(other.refusal("acquire read").substr(0, 15), "UnsafeDirectory");
}

// Sticky directories and the like: who cannot remove a dead marker says whose it is.
TEST_F(Group, WhatCannotBeEvictedIsSaidWithItsOwner) {
  Participant victim(scratch_ / "x", short_lease + shared() + alice());
  victim.ask("acquire read");
  ASSERT_EQ(::chmod((scratch_ / "x.rwlease/readers").c_str(), 03770), 0);
  victim.kill_hard();
  Participant next(scratch_ / "x", short_lease + shared() + bob() + Words{"log=1"});
  EXPECT_EQ(next.refusal("acquire write 500").substr(0, 7), "Timeout");
  EXPECT_NE(next.await("log").text.find("of user 60001"), std::string::npos);
}

// All at once on a lock that does not exist yet.
TEST_F(Group, FirstUsersAtOnceAllGetIn) {
  for (int round = 0; round < 5; ++round) {
    const std::string name = "x" + std::to_string(round);
    std::list<Participant> all;
    for (int i = 0; i < 6; ++i)
      all.emplace_back(scratch_ / name, long_lease + shared() + (i % 2 == 0 ? alice() : bob()));
    for (Participant& one : all) one.send("acquire read 20000");
    for (Participant& one : all) {
      const Line reply = one.await_reply();
      EXPECT_EQ(reply.kind, "done") << reply.text;
    }
  }
}

// Its creator died before it opened the directory to the group.
TEST_F(Group, HalfMadeDirectoryIsCompletedByItsOwner) {
  const auto directory = scratch_ / "x.rwlease";
  ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
  ASSERT_EQ(::chown(directory.c_str(), 60'001, 60'100), 0);
  ASSERT_EQ(::chmod(directory.c_str(), 0700), 0);
  Participant owner(scratch_ / "x", long_lease + shared() + alice());
  EXPECT_EQ(owner.ask("acquire read"), "yes");
  Participant other(scratch_ / "x", long_lease + shared() + bob());
  EXPECT_EQ(other.ask("acquire read"), "yes");
}

}  // namespace
}  // namespace rwlease::test
