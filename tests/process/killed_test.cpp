// kill -9 at every point of the protocol.
#include "process/support/clock.hpp"
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <memory>

namespace rwlease::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Where a victim dies: "holding", or a point of participant/points.hpp.
struct Death {
  const char* name;
  const char* command;
  const char* point;
};

std::ostream& operator<<(std::ostream& out, const Death& death) { return out << death.name; }

constexpr Death deaths[] = {
    {"ReaderHolding", "acquire read", ""},
    {"ReaderProbing", "acquire read", "probed"},
    {"ReaderPrepared", "acquire read", "reader-prepared"},
    {"ReaderPublished", "acquire read", "reader-published"},
    {"WriterHolding", "acquire write", ""},
    {"WriterMakingItsClaim", "acquire write", "claim-made"},
    {"WriterPrepared", "acquire write", "claim-prepared"},
    {"WriterClaimed", "acquire write", "claimed"},
    {"WriterFenced", "acquire write", "fenced"},
};

std::string name_of(const testing::TestParamInfo<Death>& info) { return info.param.name; }

// A victim that has died there.
void die(const std::filesystem::path& lock, const Death& death, const Words& terms) {
  const std::string point = death.point;
  Participant victim(lock, point.empty() ? terms : terms + Words{"die=" + point});
  victim.send(death.command);
  if (point.empty()) {
    victim.await("done");
    victim.kill_hard();
  }
  const int status = victim.await_exit();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

class KilledWithProof : public testing::TestWithParam<Death> {};

// The victim's lease is a minute: only the proof of its death lets the next ones in.
TEST_P(KilledWithProof, NextHolderGetsIn) {
  for (const std::string mode : {"read", "write"}) {
    const Scratch scratch;
    die(scratch / "x", GetParam(), long_lease);
    if (HasFatalFailure()) return;
    Participant next(scratch / "x", long_lease);
    EXPECT_EQ(next.ask("acquire " + mode + " 20000"), "yes") << mode;
    EXPECT_EQ(next.ask("release"), "released");
  }
}

INSTANTIATE_TEST_SUITE_P(Point, KilledWithProof, testing::ValuesIn(deaths), name_of);

class KilledWithoutProof : public testing::TestWithParam<Death> {};

nanoseconds on_monotonic_clock(const struct timespec& wall) {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto age = std::chrono::seconds(now.tv_sec - wall.tv_sec) + nanoseconds(now.tv_nsec - wall.tv_nsec);
  return monotonic_now() - age;
}

nanoseconds last_heartbeat(const std::filesystem::path& directory) {
  struct stat raw = {};
  ::lstat(only_entry(directory).c_str(), &raw);
  return on_monotonic_clock(raw.st_mtim);
}

// Of the entries that count, so the next one must wait for them.
TEST_P(KilledWithoutProof, NextHolderWaitsForTheLeaseButNotForLong) {
  const Scratch scratch;
  die(scratch / "x", GetParam(), short_lease);
  if (HasFatalFailure()) return;
  const bool reads = std::string(GetParam().command) == "acquire read";
  const nanoseconds heartbeat = last_heartbeat(scratch / (reads ? "x.rwlease/readers" : "x.rwlease/writer"));
  Participant next(scratch / "x", short_lease + no_proof);
  const nanoseconds asked = monotonic_now();
  const nanoseconds entered = next.ask_when(reads ? "acquire write" : "acquire read").at;
  EXPECT_GE(entered - heartbeat, milliseconds(short_lease_ms));
  // The lease, two polls, and much for a busy machine.
  EXPECT_LE(entered - asked, milliseconds(short_lease_ms + 200 + 8000));
}

INSTANTIATE_TEST_SUITE_P(Point, KilledWithoutProof,
                         testing::Values(deaths[0], deaths[3], deaths[4], deaths[7], deaths[8]), name_of);

// What is hidden holds nobody up.
TEST(KilledBeforeItShows, NobodyWaits) {
  for (const char* point : {"probed", "reader-prepared", "claim-made", "claim-prepared"}) {
    const Scratch scratch;
    const bool reads = std::string(point).front() != 'c';
    die(scratch / "x", {"", reads ? "acquire read" : "acquire write", point}, long_lease);
    Participant next(scratch / "x", long_lease + no_proof);
    EXPECT_EQ(next.ask("try write"), "held") << point;
  }
}

// A holder in front, a victim behind it that dies, then the holder leaves: the next one must get in.
void die_behind(const std::string& holder_mode, const Death& death, const Words& next_options) {
  const Scratch scratch;
  Participant holder(scratch / "x", long_lease);
  holder.ask("acquire " + holder_mode);
  Participant victim(scratch / "x", long_lease + Words{std::string("tell=") + death.point});
  victim.send(death.command);
  victim.await("point");
  EXPECT_FALSE(victim.hear("done", milliseconds(0)));
  victim.kill_hard();
  EXPECT_EQ(holder.ask("verify"), "yes");
  holder.ask("release");
  Participant next(scratch / "x", next_options);
  for (const std::string mode : {"read", "write"}) {
    EXPECT_EQ(next.ask("acquire " + mode + " 20000"), "yes") << mode;
    next.ask("release");
  }
}

TEST(KilledWhileWaiting, ReaderBehindAWriter) {
  die_behind("write", {"", "acquire read", "reader-withdrawn"}, long_lease + no_proof);
}

TEST(KilledWhileWaiting, WriterBehindAWriter) {
  die_behind("write", {"", "acquire write", "claim-refused"}, long_lease + no_proof);
}

TEST(KilledWhileWaiting, WriterDrainingReaders) { die_behind("read", {"", "acquire write", "claimed"}, long_lease); }

TEST(KilledWhileReleasing, WriterThatRemovedItsMarkerHoldsNobodyUp) {
  for (const std::string mode : {"read", "write"}) {
    const Scratch scratch;
    Participant victim(scratch / "x", long_lease + Words{"die=writer-half-left"});
    victim.ask("acquire write");
    victim.send("release");
    victim.await_exit();
    EXPECT_TRUE(std::filesystem::is_empty(scratch / "x.rwlease/writer"));
    Participant next(scratch / "x", long_lease + no_proof);
    EXPECT_EQ(next.ask("try " + mode), "held");
  }
}

// Others may work under the lease: the process's end proves nothing.
TEST(KilledThatIsNotSole, LeaseIsWaitedOut) {
  const Scratch scratch;
  Participant victim(scratch / "x", short_lease + Words{"sole=0"});
  victim.ask("acquire write");
  victim.kill_hard();
  const nanoseconds heartbeat = last_heartbeat(scratch / "x.rwlease/writer");
  Participant next(scratch / "x", short_lease);
  EXPECT_GE(next.ask_when("acquire read").at - heartbeat, milliseconds(short_lease_ms));
}

TEST(KilledHolder, WaitersThatWereThereBeforeGetIn) {
  const Scratch scratch;
  Participant victim(scratch / "x", long_lease);
  victim.ask("acquire write");
  Participant reader(scratch / "x", long_lease + Words{"tell=reader-withdrawn"});
  Participant writer(scratch / "x", long_lease + Words{"tell=claim-refused"});
  reader.send("acquire read");
  reader.await("point");
  writer.send("acquire write");
  writer.await("point");
  victim.kill_hard();
  // The reader may be in while the writer drains, or come after it.
  const nanoseconds end = monotonic_now() + patience;
  Participant* first = nullptr;
  while (first == nullptr && monotonic_now() < end) {
    if (reader.hear("done", milliseconds(20))) first = &reader;
    if (first == nullptr && writer.hear("done", milliseconds(20))) first = &writer;
  }
  ASSERT_NE(first, nullptr);
  Participant& second = first == &writer ? reader : writer;
  first->ask("release");
  second.await("done");
}

// Several observers at once: one eviction is as good as many, and one writer at a time gets in.
TEST(KilledHolder, ManyEvictorsLetOneWriterIn) {
  const Scratch scratch;
  Participant victim(scratch / "x", long_lease);
  victim.ask("acquire write");
  std::vector<std::unique_ptr<Participant>> writers;
  for (int i = 0; i < 4; ++i) {
    writers.push_back(std::make_unique<Participant>(scratch / "x", long_lease + Words{"tell=claim-refused"}));
    writers.back()->send("acquire write");
    writers.back()->await("point");
  }
  victim.kill_hard();
  for (std::size_t left = writers.size(); left > 0; --left) {
    std::size_t inside = 0;
    const nanoseconds end = monotonic_now() + patience;
    while (inside == 0 && monotonic_now() < end) {
      for (auto& writer : writers) {
        if (!writer->hear("done", milliseconds(20))) continue;
        ++inside;
        EXPECT_EQ(writer->ask("verify"), "yes");
        for (auto& other : writers) {
          EXPECT_FALSE(other != writer && other->hear("done", milliseconds(0)));
        }
        writer->ask("release");
      }
    }
    ASSERT_GE(inside, 1U);
    left -= inside - 1;
  }
}

// Each attempt is far too short to see the lease out, but they add up.
TEST(KilledHolder, ShortAttemptsInARowAddUp) {
  const Scratch scratch;
  Participant victim(scratch / "x", short_lease);
  victim.ask("acquire write");
  victim.kill_hard();
  Participant next(scratch / "x", short_lease + no_proof);
  EXPECT_GT(std::stoi(next.ask("attempts read 100")), 3);
}

}  // namespace
}  // namespace rwlease::test
