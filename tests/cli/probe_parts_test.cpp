// What the probe reads from the kernel and makes of it.
#include "probe/findings.hpp"
#include "probe/mount.hpp"
#include "probe/requests.hpp"

#include <gmock/gmock.h>

namespace rwlease::probe {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* mountinfo =
    "21 26 0:20 / / rw,relatime - ext4 /dev/vda rw\n"
    "22 21 0:30 / /scratch rw,noatime shared:5 master:2 - nfs4 server:/export rw,vers=4.2,soft,local_lock=none\n"
    "23 21 0:31 / /scratch2 rw - tmpfs tmpfs rw\n"
    "24 22 0:32 / /scratch/my\\040data rw - nfs server:/d rw,nocto,actimeo=600\n"
    "25 21 0:33 / /twice rw - tmpfs tmpfs rw\n"
    "26 25 0:34 / /twice rw - xfs /dev/vdb rw\n"
    "garbage\n";

TEST(Mount, IsTheOneWithTheLongestPointAbove) {
  EXPECT_EQ(find_mount(mountinfo, "/home/x")->type, "ext4");
  EXPECT_EQ(find_mount(mountinfo, "/scratch")->source, "server:/export");
  EXPECT_EQ(find_mount(mountinfo, "/scratch/sub")->source, "server:/export");
  EXPECT_EQ(find_mount(mountinfo, "/scratch2/sub")->type, "tmpfs") << "no prefix of a name is a parent";
  EXPECT_EQ(find_mount(mountinfo, "/scratch/my data/x")->source, "server:/d");
  EXPECT_EQ(find_mount(mountinfo, "/twice/x")->type, "xfs") << "the upper one of two";
  EXPECT_FALSE(find_mount("", "/x"));
}

TEST(Mount, TellsItsOptions) {
  const auto mount = find_mount(mountinfo, "/scratch");
  EXPECT_THAT(mount->options, ElementsAre("rw", "noatime", "vers=4.2", "soft", "local_lock=none"));
  EXPECT_TRUE(mount->has("soft"));
  EXPECT_FALSE(mount->has("sof"));
  EXPECT_EQ(mount->value("vers"), "4.2");
  EXPECT_FALSE(mount->value("soft"));
}

TEST(Reach, IsKnownForCommonTypes) {
  EXPECT_EQ(reach_of("nfs4"), Reach::other_hosts);
  EXPECT_EQ(reach_of("tmpfs"), Reach::this_host);
  EXPECT_EQ(reach_of("fuse.something"), Reach::unknown);
}

constexpr const char* mountstats =
    "device tmpfs mounted on /tmp with fstype tmpfs\n"
    "device server:/export mounted on /scratch with fstype nfs4 statvers=1.1\n"
    "\topts:\trw,vers=4.2\n"
    "\tevents:\t1 2 3\n"
    "\tper-op statistics\n"
    "\t        NULL: 1 1 0 44 24 7 0 7 0\n"
    "\t     GETATTR: 40 40 0 1 2 3 4 5 0\n"
    "\t      RENAME: 7 7 0 1 2 3 4 5 0\n"
    "device server:/other mounted on /scratch/other with fstype nfs4 statvers=1.1\n"
    "\tper-op statistics\n"
    "\t     GETATTR: 1000 1000 0 1 2 3 4 5 0\n";

TEST(RequestCounts, AreThoseOfTheMount) {
  EXPECT_EQ(requests_of(mountstats, "/scratch"), (Requests{{"GETATTR", 40}, {"NULL", 1}, {"RENAME", 7}}));
  EXPECT_THAT(requests_of(mountstats, "/tmp"), IsEmpty());
  EXPECT_THAT(requests_of(mountstats, "/nowhere"), IsEmpty());
}

TEST(RequestCounts, AreSubtracted) {
  const Requests since = difference({{"GETATTR", 40}, {"RENAME", 7}}, {{"GETATTR", 42}, {"RENAME", 7}, {"SYMLINK", 1}});
  EXPECT_EQ(since, (Requests{{"GETATTR", 2}, {"SYMLINK", 1}}));
  EXPECT_EQ(total(since), 3U);
}

DirectoryFindings good() {
  DirectoryFindings found;
  found.directory = "/scratch";
  found.mount = find_mount("22 21 0:30 / /scratch rw - nfs4 server:/export rw,vers=4.2", "/scratch");
  found.time_step.step = milliseconds(4);
  found.clock = ClockOffset{0.001, 0.01};
  found.checks = {{"do this", true, true, ""}};
  return found;
}

Advice advice_for(const DirectoryFindings& found) { return advise({{found}, {}, {}, {}}); }

TEST(AdviceOf, AGoodDirectoryIsTheDefault) {
  const Advice advice = advice_for(good());
  EXPECT_THAT(advice.against, IsEmpty());
  EXPECT_THAT(advice.notes, IsEmpty());
  EXPECT_EQ(advice.interval, milliseconds(30'000));
  EXPECT_EQ(advice.lease, milliseconds(90'000));
}

TEST(AdviceOf, AFailedCheckIsAgainstItWhereItIsNeeded) {
  DirectoryFindings found = good();
  found.checks = {{"do this", false, true, "Not supported"}, {"do that", false, false, "Not supported"}};
  EXPECT_THAT(advice_for(found).against, ElementsAre("/scratch: cannot do this: Not supported"));
}

TEST(AdviceOf, OldStateIsAgainstIt) {
  Freshness stale;
  stale.changed = "/a";
  stale.looked = "/b";
  stale.failures = 3;
  stale.first_failure = "a removal was not seen";
  EXPECT_THAT(advise({{good()}, {stale}, {}, {}}).against, ElementsAre(HasSubstr("/b shows old state (3 times)")));
}

TEST(AdviceOf, MountOptionsThatMatterAreNoted) {
  for (const char* option : {"nocto", "soft", "softreval", "local_lock=all"}) {
    DirectoryFindings found = good();
    found.mount->options.emplace_back(option);
    EXPECT_THAT(advice_for(found).notes, ElementsAre(HasSubstr(option))) << option;
  }
}

TEST(AdviceOf, WholeSecondsAndSlowCallsMakeLeasesLonger) {
  DirectoryFindings coarse = good();
  coarse.time_step.step = milliseconds(1'000);
  EXPECT_EQ(advice_for(coarse).shortest_lease, milliseconds(6'000));
  DirectoryFindings slow = good();
  slow.costs = {{"acquire_read", milliseconds(100), milliseconds(4'000), {}}};
  EXPECT_EQ(advice_for(slow).lease, milliseconds(200'000));
  EXPECT_EQ(advice_for(slow).interval, milliseconds(200'000) / 3);
}

TEST(AdviceOf, AClockFarOffIsNotedOnly) {
  DirectoryFindings found = good();
  found.clock = ClockOffset{-3600, 0.01};
  const Advice advice = advice_for(found);
  EXPECT_THAT(advice.against, IsEmpty());
  EXPECT_THAT(advice.notes, ElementsAre(HasSubstr("3.6e+03 s behind the file server's")));
}

}  // namespace
}  // namespace rwlease::probe
