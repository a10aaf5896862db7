// Lock directories that somebody else put there, or that are gone.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace rwlease::test {
namespace {

namespace fs = std::filesystem;

class Hijack : public testing::Test {
 protected:
  void expect_refused(const std::string& why) {
    Participant one(scratch_ / "x", long_lease);
    for (const char* command : {"acquire read", "acquire write", "try read"}) {
      const std::string refusal = one.refusal(command);
      EXPECT_EQ(refusal.substr(0, 15), "UnsafeDirectory") << refusal;
      EXPECT_NE(refusal.find(why), std::string::npos) << refusal;
    }
  }

  Scratch scratch_;
  const fs::path directory_ = scratch_ / "x.rwlease";
};

TEST_F(Hijack, SymlinkedLockDirectoryIsRefused) {
  fs::create_directory(scratch_ / "elsewhere");
  fs::permissions(scratch_ / "elsewhere", fs::perms::owner_all);
  fs::create_directory_symlink(scratch_ / "elsewhere", directory_);
  expect_refused("symlink");
  EXPECT_TRUE(fs::is_empty(scratch_ / "elsewhere"));
}

TEST_F(Hijack, DanglingSymlinkIsRefused) {
  fs::create_symlink(scratch_ / "nowhere", directory_);
  expect_refused("symlink");
  EXPECT_FALSE(fs::exists(scratch_ / "nowhere"));
}

TEST_F(Hijack, FileInItsPlaceIsRefused) {
  std::ofstream(directory_) << "mine";
  expect_refused("not a directory");
  EXPECT_EQ(fs::file_size(directory_), 4U);
}

TEST_F(Hijack, OpenToGroupOrOthersIsRefused) {
  fs::create_directory(directory_);
  for (const mode_t mode : {0720U, 0702U, 0777U, 01777U, 0705U}) {
    ::chmod(directory_.c_str(), mode);
    expect_refused("mode");
  }
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(Hijack, ForeignOwnerIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  constexpr uid_t nobody = 65'534;
  fs::create_directory(directory_);
  fs::permissions(directory_, fs::perms::owner_all);
  ASSERT_EQ(::chown(directory_.c_str(), nobody, nobody), 0);
  expect_refused("belongs to user");
  EXPECT_TRUE(fs::is_empty(directory_));
}

// Somebody made it first, in a directory where all may write.
TEST_F(Hijack, DirectoryMadeByAnotherUserBeforehandIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  ::chmod(scratch_.directory().c_str(), 01777);
  Participant other(scratch_ / "x", long_lease + Words{"uid=65534", "gid=65534"});
  other.ask("acquire read");
  expect_refused("belongs to user");
  Participant victim(scratch_ / "x", long_lease + Words{"uid=60001", "gid=60001"});
  EXPECT_EQ(victim.refusal("acquire read").substr(0, 15), "UnsafeDirectory");
}

TEST_F(Hijack, SymlinkedReadersIsRefused) {
  fs::create_directory(directory_);
  fs::permissions(directory_, fs::perms::owner_all);
  fs::create_directory(scratch_ / "elsewhere");
  fs::create_directory_symlink(scratch_ / "elsewhere", directory_ / "readers");
  Participant one(scratch_ / "x", long_lease);
  EXPECT_EQ(one.refusal("acquire read").substr(0, 15), "UnsafeDirectory");
  EXPECT_TRUE(fs::is_empty(scratch_ / "elsewhere"));
}

TEST_F(Hijack, DirectoryChangedForASymlinkUnderAHolderMovesNobody) {
  Participant holder(scratch_ / "x", long_lease);
  holder.ask("acquire read");
  fs::rename(directory_, scratch_ / "moved");
  fs::create_directory(scratch_ / "elsewhere");
  fs::create_directory_symlink(scratch_ / "elsewhere", directory_);
  EXPECT_EQ(holder.ask("release"), "released") << "by the descriptor, not by the path";
  EXPECT_TRUE(fs::is_empty(scratch_ / "elsewhere"));
  EXPECT_EQ(listing(scratch_ / "moved"), std::vector<std::string>{"readers"});
}

TEST_F(Hijack, MissingParentIsAClearError) {
  Participant one(scratch_ / "no/such/x", long_lease);
  const std::string refusal = one.refusal("acquire read");
  EXPECT_EQ(refusal.substr(0, 5), "Error");
  EXPECT_NE(refusal.find("parent directory must exist"), std::string::npos) << refusal;
}

TEST_F(Hijack, MissingPermissionIsAClearErrorAtOnce) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  Participant one(scratch_ / "x", long_lease + Words{"uid=65534", "gid=65534"});
  const std::string refusal = one.refusal("acquire read");
  EXPECT_EQ(refusal.substr(0, 8), "Error|" + std::to_string(EACCES)) << refusal;
}

TEST_F(Hijack, WhatItMakesIsClosedToOthers) {
  for (const char* umask : {"umask=0", "umask=022", "umask=0277", "umask=0777"}) {
    const Scratch scratch;
    Participant one(scratch / "x", long_lease + Words{umask});
    Participant other(scratch / "x", long_lease + Words{"tell=claim-refused"});
    one.ask("acquire write");
    other.send("acquire write");
    other.await("point");
    struct stat raw = {};
    for (const auto& entry : fs::recursive_directory_iterator(scratch / "x.rwlease")) {
      ::lstat(entry.path().c_str(), &raw);
      if (!S_ISDIR(raw.st_mode)) continue;
      EXPECT_EQ(raw.st_mode & 07777U, 0700U) << umask << " " << entry.path();
    }
    ::stat((scratch / "x.rwlease").c_str(), &raw);
    EXPECT_EQ(raw.st_mode & 07777U, 0700U) << umask;
  }
}

class Removed : public testing::TestWithParam<const char*> {
 protected:
  void remove_lock_directory() { fs::remove_all(scratch_ / "x.rwlease"); }

  const std::string mode_ = GetParam();
  Scratch scratch_;
  Participant holder_{scratch_ / "x", short_lease};
};

TEST_P(Removed, HolderNoticesAtTheNextHeartbeat) {
  holder_.ask("acquire " + mode_);
  holder_.ask("watch");
  remove_lock_directory();
  EXPECT_EQ(holder_.await("lost").text, "evicted");
  EXPECT_EQ(holder_.ask("valid"), "no");
  EXPECT_EQ(holder_.ask("release"), "already lost");
  EXPECT_EQ(holder_.ask("acquire " + mode_), "yes") << "opened anew";
  EXPECT_EQ(holder_.ask("verify"), "yes");
  EXPECT_EQ(holder_.ask("release"), "released");
}

TEST_P(Removed, VerifyNoticesAtOnce) {
  Participant holder(scratch_ / "x", long_lease);
  holder.ask("acquire " + mode_);
  remove_lock_directory();
  EXPECT_EQ(holder.ask("verify"), "no");
  EXPECT_EQ(holder.ask("valid"), "no");
}

TEST_P(Removed, AcquireAfterRemovalOpensItAnew) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(holder_.ask("acquire " + mode_), "yes");
    EXPECT_EQ(holder_.ask("release"), "released");
    remove_lock_directory();
  }
}

// The waiter's own view goes with the old directory; it must meet the newcomers in the new one.
TEST_P(Removed, WaiterGoesOnInTheNewDirectory) {
  Participant waiter(scratch_ / "x", short_lease + Words{"tell=claim-refused", "tell=reader-withdrawn"});
  holder_.ask("acquire write");
  waiter.send("acquire " + mode_);
  waiter.await("point");
  // Stopped meanwhile, so that it does not enter while the directory is half gone.
  waiter.stop();
  remove_lock_directory();
  waiter.signal(SIGCONT);
  EXPECT_EQ(waiter.await("done").text, "yes");
  Participant third(scratch_ / "x", short_lease);
  EXPECT_EQ(third.ask("try write"), "busy");
}

TEST_P(Removed, DrainingWriterGoesOnInTheNewDirectory) {
  Participant waiter(scratch_ / "x", short_lease + Words{"tell=claimed"});
  holder_.ask("acquire read");
  waiter.send("acquire write");
  waiter.await("point");
  // Stopped meanwhile, so that it does not enter while the directory is half gone.
  waiter.stop();
  remove_lock_directory();
  waiter.signal(SIGCONT);
  EXPECT_EQ(waiter.await("done").text, "yes");
  Participant third(scratch_ / "x", short_lease);
  EXPECT_EQ(third.ask("try " + mode_), "busy");
}

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Mode, Removed, testing::Values("read", "write"), name_of);

// A marker that was removed by hand, or replaced.
TEST(Tampered, HolderNoticesThatItsMarkerIsGone) {
  const Scratch scratch;
  for (const std::string mode : {"read", "write"}) {
    Participant holder(scratch / "x", short_lease);
    holder.ask("acquire " + mode);
    holder.ask("watch");
    fs::remove(only_entry(scratch / (mode == "read" ? "x.rwlease/readers" : "x.rwlease/writer")));
    EXPECT_EQ(holder.await("lost").text, "evicted");
    EXPECT_EQ(holder.ask("release"), "already lost");
  }
}

}  // namespace
}  // namespace rwlease::test
