// Processes that contend: recorded holds, and data that tells when two were inside.
#include "process/support/judge.hpp"
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <list>

namespace rwlease::test {
namespace {

// Every participant's end of work, then all that it reported.
std::vector<Hold> collect(std::list<Participant>& all) {
  std::vector<Hold> holds;
  for (Participant& one : all) {
    const Line end = one.await_reply();
    EXPECT_EQ(end.kind, "done") << end.text;
    EXPECT_FALSE(one.hear("torn", std::chrono::milliseconds(0))) << "data that does not fit together";
    while (auto line = one.hear("hold", std::chrono::milliseconds(0))) {
      holds.push_back(parse_hold(line->text, std::to_string(one.pid())));
    }
  }
  return holds;
}

void make_data(const std::string& data) {
  for (const char* suffix : {".0", ".1", ".2"}) std::ofstream(data + suffix);
}

void contend(const Words& options, int processes, int milliseconds, int writes_in_100) {
  const Scratch scratch;
  const std::string data = scratch / "data";
  make_data(data);
  std::list<Participant> all;
  for (int i = 0; i < processes; ++i) all.emplace_back(scratch / "x", options);
  // The first version, so that a reader never finds the files empty.
  EXPECT_EQ(all.front().ask("contend 1 100 0 " + data), "1");
  EXPECT_TRUE(all.front().hear("torn", std::chrono::milliseconds(0))) << "empty files must look torn";
  int seed = 0;
  for (Participant& one : all) {
    one.send("contend " + std::to_string(milliseconds) + " " + std::to_string(writes_in_100) + " " +
             std::to_string(++seed) + " " + data);
  }
  const auto holds = collect(all);
  EXPECT_GT(holds.size(), static_cast<std::size_t>(processes));
  const auto overlaps = excluding_overlaps(holds);
  EXPECT_TRUE(overlaps.empty()) << describe(overlaps);
  EXPECT_TRUE(listing_without_fences(scratch / "x.rwlease") == std::vector<std::string>{"readers"});
  std::printf("%zu holds, %zu pairs of readers together\n", holds.size(), shared_reads(holds));
}

TEST(Contention, MixedReadersAndWritersExcludeEachOther) { contend(long_lease, 8, 4000, 25); }

TEST(Contention, WritersExcludeEachOther) { contend(long_lease, 4, 2000, 100); }

// Heartbeats, observation and eviction at work all the time.
TEST(Contention, WithShortLeases) {
  contend({"interval=100", "lease=2000", "margin=500", "poll_min=1", "poll_max=20", "proof=0"}, 6, 3000, 30);
}

TEST(Contention, ReadersAreInsideTogether) {
  const Scratch scratch;
  Participant one(scratch / "x", long_lease);
  Participant other(scratch / "x", long_lease);
  one.ask("acquire read");
  other.ask("acquire read");
  EXPECT_EQ(one.ask("verify"), "yes");
  EXPECT_EQ(other.ask("verify"), "yes");
}

// A short own lease and quick polls of the observer change nothing for a holder whose lease is longer.
TEST(Contention, PeerWithShorterLeaseDoesNotEvictALiveHolder) {
  const Scratch scratch;
  Participant holder(scratch / "x", {"interval=2000", "lease=6000", "poll_max=100", "proof=0"});
  Participant hasty(scratch / "x", {"interval=50", "lease=200", "margin=50", "poll_min=5", "poll_max=20", "proof=0"});
  for (const std::string mode : {"read", "write"}) {
    holder.ask("acquire " + mode);
    // Five of the hasty one's leases, less than one heartbeat of the holder's.
    EXPECT_EQ(hasty.refusal("acquire write 1000").substr(0, 7), "Timeout");
    EXPECT_EQ(holder.ask("verify"), "yes");
    EXPECT_EQ(holder.ask("release"), "released");
  }
}

TEST(Contention, FencesGrowFromWriterToWriter) {
  const Scratch scratch;
  Participant one(scratch / "x", long_lease);
  Participant other(scratch / "x", long_lease);
  unsigned long long last = 0;
  for (Participant* writer : {&one, &other, &one, &other}) {
    writer->ask("acquire write");
    const unsigned long long fence = std::stoull(writer->ask("fence"));
    EXPECT_GT(fence, last);
    last = fence;
    writer->ask("release");
  }
  std::filesystem::remove_all(scratch / "x.rwlease");
  one.ask("acquire write");
  EXPECT_GT(std::stoull(one.ask("fence")), last) << "after the lock directory was removed with its fences";
}

}  // namespace
}  // namespace rwlease::test
