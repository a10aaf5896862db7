// Entries that no participant made, and what killed ones left.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace rwlease::test {
namespace {

namespace fs = std::filesystem;

using Make = void (*)(const fs::path&);

struct Foreign {
  const char* name;
  Make make;
};

std::ostream& operator<<(std::ostream& out, const Foreign& foreign) { return out << foreign.name; }

constexpr Foreign kinds[] = {
    {"EmptyFile", [](const fs::path& p) { std::ofstream file(p); }},
    {"FileOfGarbage", [](const fs::path& p) { std::ofstream(p) << std::string(100'000, '\xff'); }},
    {"DanglingSymlink", [](const fs::path& p) { fs::create_symlink("/no/such/place", p); }},
    {"SymlinkToItself", [](const fs::path& p) { fs::create_symlink(p, p); }},
    {"SymlinkToADirectory", [](const fs::path& p) { fs::create_directory_symlink("/", p); }},
    {"EmptyRecord", [](const fs::path& p) { fs::create_symlink("rwlease/1", p); }},
    {"Directory", [](const fs::path& p) { fs::create_directory(p); }},
    {"Fifo", [](const fs::path& p) { ::mkfifo(p.c_str(), 0600); }},
};

// Entries that nobody made are waited out with the observer's own lease.
Words brief_lease() { return {"interval=150", "lease=600", "margin=150", "poll_min=5", "poll_max=50"}; }

// Made by somebody else while nobody holds, in a lock directory that exists.
class ForeignEntry : public testing::TestWithParam<Foreign> {
 protected:
  void SetUp() override {
    one_.ask("acquire read");
    one_.ask("release");
  }

  // Not entered as if it were not there; not for ever either.
  void expect_waited_out(const std::string& mode) {
    EXPECT_EQ(one_.ask("try " + mode), "busy");
    EXPECT_EQ(one_.ask("acquire " + mode), "yes");
    EXPECT_EQ(one_.ask("release"), "released");
  }

  Scratch scratch_;
  const fs::path directory_ = scratch_ / "x.rwlease";
  Participant one_{scratch_ / "x", brief_lease()};
};

TEST_P(ForeignEntry, AmongTheReadersIsWaitedOut) {
  GetParam().make(directory_ / "readers/foreign");
  EXPECT_EQ(one_.ask("try read"), "held") << "readers are not in each other's way";
  one_.ask("release");
  expect_waited_out("write");
}

TEST_P(ForeignEntry, HiddenAmongTheReadersIsWaitedOut) {
  GetParam().make(directory_ / "readers/.nfs000000000001");
  expect_waited_out("write");
}

TEST_P(ForeignEntry, InTheWritersPlaceIsWaitedOut) {
  // An empty directory there is what a writer leaves that died while releasing: free.
  const bool is_free = std::string(GetParam().name) == "Directory";
  for (const std::string mode : {"read", "write"}) {
    GetParam().make(directory_ / "writer");
    if (!is_free) {
      expect_waited_out(mode);
      continue;
    }
    EXPECT_EQ(one_.ask("try " + mode), "held");
    one_.ask("release");
  }
}

TEST_P(ForeignEntry, InTheWritersDirectoryIsWaitedOut) {
  for (const std::string mode : {"read", "write"}) {
    fs::create_directory(directory_ / "writer");
    GetParam().make(directory_ / "writer/.hidden");
    expect_waited_out(mode);
  }
}

TEST_P(ForeignEntry, StatusShowsIt) {
  GetParam().make(directory_ / "readers/foreign");
  EXPECT_NE(one_.ask("status").find("foreign:read:0"), std::string::npos);
}

std::string name_of(const testing::TestParamInfo<Foreign>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Kind, ForeignEntry, testing::ValuesIn(kinds), name_of);

// Names that try something with whoever reads them.
TEST(HostileNames, AreWaitedOutAndShownHarmlessly) {
  const Scratch scratch;
  Participant one(scratch / "x", short_lease + Words{"log=1"});
  one.ask("acquire read");
  one.ask("release");
  const std::string token(32, 'a');
  const std::string names[] = {
      "a\nb",
      "\x1b[31mred",
      std::string(255, 'x'),
      "host.1.999999999999999999999." + token,
      "host.-1.1000." + token,
      "host.99999999999999999999.1000." + token,
      ".." + token,
      "%s%n",
      "host.1.1." + token,  // says that it is over after a millisecond; the observer's own lease counts
  };
  for (const std::string& name : names) kinds[0].make(scratch / "x.rwlease/readers" / name);
  EXPECT_EQ(one.ask("try write"), "busy");
  const std::string refusal = one.refusal("acquire write 100");
  EXPECT_EQ(refusal.find('\x1b'), std::string::npos);
  one.ask("status");
  EXPECT_EQ(one.ask("acquire write"), "yes");
  while (auto line = one.hear("log", std::chrono::milliseconds(0))) {
    EXPECT_EQ(line->text.find('\x1b'), std::string::npos) << line->text;
    EXPECT_EQ(line->text.find(token), std::string::npos) << line->text;
  }
}

// What killed processes left hidden is in nobody's way; the next writer that holds clears it away.
class Leftovers : public testing::TestWithParam<const char*> {};

TEST_P(Leftovers, AreClearedByAWriterThatHolds) {
  const Scratch scratch;
  const std::string point = GetParam();
  const bool reads = point == "probed" || point == "reader-prepared";
  Participant victim(scratch / "x", short_lease + Words{"die=" + point});
  Participant blocker(scratch / "x", short_lease);
  // For a claim to change readers/ there must have been a reader that left.
  if (point == "changed") blocker.ask("acquire read");
  victim.ask("tell-when-waiting");
  victim.send(reads ? "acquire read" : "acquire write");
  if (point == "changed") {
    victim.await("waiting");
    blocker.ask("release");
  }
  victim.await_exit();
  EXPECT_NE(listing_without_fences(scratch / "x.rwlease"), std::vector<std::string>{"readers"});
  Participant writer(scratch / "x", short_lease);
  writer.ask("acquire write");
  const auto left = [&] {
    auto entries = listing_without_fences(scratch / "x.rwlease");
    return std::count_if(entries.begin(), entries.end(), [](const std::string& entry) {
      return entry.find(".rwlease") == std::string::npos && entry.rfind("writer", 0) != 0 && entry != "readers";
    });
  };
  // Watched through the directory: nothing else tells that a sweep is done.
  for (int i = 0; i < 100 && left() > 0; ++i) writer.hear("none", std::chrono::milliseconds(100));
  EXPECT_EQ(left(), 0);
  EXPECT_EQ(writer.ask("verify"), "yes");
}

std::string point_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, Leftovers,
                         testing::Values("probed", "reader-prepared", "claim-made", "claim-prepared", "changed"),
                         point_name);

// A live participant's hidden entry is not a leftover.
TEST(LeftoversOfTheLiving, StayUntilTheirLeaseIsOver) {
  const Scratch scratch;
  Participant slow(scratch / "x", long_lease + Words{"stop=claim-prepared"});
  slow.send("acquire write");
  slow.await("point");
  Participant writer(scratch / "x", short_lease);
  writer.ask("acquire write");
  EXPECT_FALSE(writer.hear("none", std::chrono::milliseconds(short_lease_ms + 500)));
  writer.ask("release");
  slow.signal(SIGCONT);
  EXPECT_EQ(slow.await("done").text, "yes");
}

// Refreshing must not be led astray by what is put in the marker's place.
TEST(Replaced, MarkerIsNeverFollowedOrOpened) {
  const Scratch scratch;
  const fs::path victim = scratch / "victim";
  kinds[0].make(victim);
  fs::last_write_time(victim, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto before = fs::last_write_time(victim);
  for (const Foreign& kind : {Foreign{"Symlink", nullptr}, kinds[7]}) {
    Participant holder(scratch / "x", short_lease + Words{"tell=beat"});
    holder.ask("acquire read");
    const fs::path marker = only_entry(scratch / "x.rwlease/readers");
    fs::remove(marker);
    kind.make == nullptr ? fs::create_symlink(victim, marker) : kind.make(marker);
    holder.await("point");
    holder.await("point");
    EXPECT_EQ(fs::last_write_time(victim), before) << "a heartbeat went through the symlink";
    holder.ask("release");
  }
}

}  // namespace
}  // namespace rwlease::test
