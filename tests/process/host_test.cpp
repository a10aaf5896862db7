// Odd host names, equal host names, and disks that are full. Needs root for the namespaces.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace rwlease::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class HostName : public testing::TestWithParam<const char*> {};

TEST_P(HostName, MakesMarkersThatEverybodyUnderstands) {
  const Words host = {std::string("hostname=") + GetParam()};
  if (const auto why = why_not(host)) GTEST_SKIP() << *why;
  const Scratch scratch;
  Participant odd(scratch / "x", long_lease + host);
  Participant plain(scratch / "x", long_lease);
  for (const std::string mode : {"read", "write"}) {
    odd.ask("acquire " + mode);
    const std::string marker =
        only_entry(scratch / (mode == "read" ? "x.rwlease/readers" : "x.rwlease/writer")).filename();
    const std::string name = marker.substr(0, marker.find('.'));
    EXPECT_FALSE(name.empty());
    EXPECT_LE(name.size(), 64U);
    EXPECT_TRUE(
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; }));
    EXPECT_NE(plain.ask("status").find(":" + std::to_string(odd.pid())), std::string::npos);
    EXPECT_EQ(plain.ask("try write"), "busy");
    odd.ask("release");
  }
  odd.ask("acquire write");
  odd.kill_hard();
  EXPECT_EQ(plain.ask("acquire read 20000"), "yes");
}

INSTANTIATE_TEST_SUITE_P(Odd, HostName,
                         testing::Values("", " ", "two words", "n\xc3\xa4me\xff", "a.b.c", "..", "-", "%41",
                                         "0123456789012345678901234567890123456789012345678901234567890123"));

// As two containers on one host may be: same host name, same boot, pids that say nothing to each other.
TEST(PidNamespaces, LiveHolderIsNotTakenForDead) {
  const Words container = {"pidns=1", "hostname=container"};
  if (const auto why = why_not(container)) GTEST_SKIP() << *why;
  for (const std::string mode : {"read", "write"}) {
    const Scratch scratch;
    Participant holder(scratch / "x", long_lease + container);
    Participant other(scratch / "x", long_lease + container);
    Participant outside(scratch / "x", long_lease + Words{"hostname=container"});
    holder.ask("acquire " + mode);
    EXPECT_EQ(other.refusal("acquire write 300").substr(0, 7), "Timeout");
    EXPECT_EQ(outside.refusal("acquire write 300").substr(0, 7), "Timeout");
    EXPECT_EQ(holder.ask("verify"), "yes");
  }
}

TEST(PidNamespaces, DeadHolderIsWaitedOut) {
  const Words container = {"pidns=1", "hostname=container"};
  if (const auto why = why_not(container)) GTEST_SKIP() << *why;
  const Scratch scratch;
  Participant holder(scratch / "x", short_lease + container);
  Participant other(scratch / "x", short_lease + container);
  holder.ask("acquire write");
  holder.kill_hard();
  EXPECT_EQ(other.ask("try read"), "busy");
  EXPECT_EQ(other.ask("acquire read"), "yes");
}

// The disk is a tmpfs in the participant's own mount namespace; the test reaches it through /proc.
class FullDisk : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    disk_ = scratch_ / "disk";
    fs::create_directory(disk_);
    if (const auto why = why_not(disk_of(GetParam()))) GTEST_SKIP() << *why;
    one_ = std::make_unique<Participant>(disk_ / "x", long_lease + disk_of(GetParam()));
    inside_ = "/proc/" + std::to_string(one_->pid()) + "/root" + disk_.string();
  }

  Words disk_of(const std::string& limits) const { return {"small_disk=" + disk_.string() + ":" + limits}; }

  // Until nothing more fits: inodes and bytes.
  void fill() {
    std::ofstream whole(inside_ / "filler", std::ios::binary);
    const std::string page(4096, 'x');
    while (whole.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
    }
    for (fillers_ = 0; std::ofstream(inside_ / ("f" + std::to_string(fillers_))); ++fillers_) {
    }
  }

  void make_room() {
    fs::remove(inside_ / "filler");
    for (int i = 0; i < fillers_; ++i) fs::remove(inside_ / ("f" + std::to_string(i)));
  }

  void expect_no_space(const std::string& command) {
    const std::string refusal = one_->refusal(command);
    EXPECT_EQ(refusal.substr(0, 6), "Error|") << refusal;
    EXPECT_NE(refusal.find("No space left on device"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("free some space"), std::string::npos) << refusal;
  }

  Scratch scratch_;
  fs::path disk_;
  std::unique_ptr<Participant> one_;
  fs::path inside_;
  int fillers_ = 0;
};

TEST_P(FullDisk, AcquireSaysSoLeavesNothingAndWorksAgain) {
  one_->ask("acquire write");
  one_->ask("release");
  const auto before = listing(inside_ / "x.rwlease");
  fill();
  for (const char* command : {"acquire read", "acquire write", "try read", "try write"}) expect_no_space(command);
  EXPECT_EQ(listing(inside_ / "x.rwlease"), before);
  make_room();
  EXPECT_EQ(one_->ask("acquire read"), "yes");
  one_->ask("release");
  EXPECT_EQ(one_->ask("acquire write"), "yes");
}

TEST_P(FullDisk, FirstUseSaysSoAndWorksAgain) {
  fill();
  expect_no_space("acquire read");
  expect_no_space("acquire write");
  make_room();
  EXPECT_EQ(one_->ask("acquire read"), "yes");
  struct stat raw = {};
  ASSERT_EQ(::lstat(only_entry(inside_ / "x.rwlease/readers").c_str(), &raw), 0);
  EXPECT_TRUE(S_ISLNK(raw.st_mode)) << "a full disk says nothing about symlinks";
}

// The lock directory is there, but this process has not yet tried out what works in it.
TEST_P(FullDisk, SaysNothingAboutSymlinks) {
  for (const char* name : {"x.rwlease", "x.rwlease/readers"}) {
    fs::create_directory(inside_ / name);
    fs::permissions(inside_ / name, fs::perms::owner_all);
  }
  fill();
  expect_no_space("acquire read");
  EXPECT_EQ(listing(inside_ / "x.rwlease"), std::vector<std::string>{"readers"});
  make_room();
  EXPECT_EQ(one_->ask("acquire read"), "yes");
  EXPECT_TRUE(fs::is_symlink(only_entry(inside_ / "x.rwlease/readers")));
}

TEST_P(FullDisk, HolderGoesOnAndReleases) {
  Participant holder(disk_ / "x", short_lease + disk_of(GetParam()) + Words{"tell=beat"});
  inside_ = "/proc/" + std::to_string(holder.pid()) + "/root" + disk_.string();
  holder.ask("acquire write");
  fill();
  holder.await("point");
  holder.await("point");
  EXPECT_EQ(holder.ask("verify"), "yes");
  EXPECT_EQ(holder.ask("release"), "released");
  EXPECT_EQ(listing_without_fences(inside_ / "x.rwlease"), std::vector<std::string>{"readers"});
}

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.index == 0 ? "Bytes" : "Inodes"; }
INSTANTIATE_TEST_SUITE_P(Of, FullDisk, testing::Values("64k:4096", "1m:24"), name_of);

}  // namespace
}  // namespace rwlease::test
