// What logs of several hosts tell together.
#include "trace_story.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <stdexcept>

namespace rwlease::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TraceLog log_of(const std::string& text) {
  std::istringstream stream(text);
  return read_trace(stream, "test");
}

// A writer on node a holds from 1 to 5 s and releases until 5.1 s.
constexpr const char* writer =
    "rwlease-trace/1 host=a pid=1 boot=x real=1000000000000 mono=0 job=77\n"
    "wait from=900000000 to=900000000 thread=1 acquire=1 mode=write lock=/s/d.rwlease label=nightly%20build\n"
    "held from=950000000 to=1000000000 thread=1 acquire=1 id=aa fence=10\n"
    "released from=5000000000 to=5100000000 thread=1 id=aa done=1\n";

// A reader on node b, whose wall clock is days ahead: it waits for that writer.
constexpr const char* reader =
    "rwlease-trace/1 host=b pid=2 boot=y real=996400000000000 mono=0 job=\n"
    "wait from=2000000000 to=2000000000 thread=9 acquire=1 mode=read lock=/s/d.rwlease label=\n"
    "blocked from=2000000000 to=2010000000 thread=9 acquire=1 by=aa claimed=0\n"
    "held from=5150000000 to=5200000000 thread=9 acquire=1 id=bb fence=0\n"
    "released from=6000000000 to=6100000000 thread=9 id=bb done=1\n";

std::vector<std::string> told(const Story& story) {
  std::vector<std::string> lines;
  for (const Moment& moment : story.moments) {
    lines.push_back(story.logs[story.tenures[moment.tenure].log].host + " " + moment.what);
  }
  return lines;
}

TEST(TraceLogs, AreRead) {
  const TraceLog log = log_of(writer);
  EXPECT_EQ(log.host, "a");
  EXPECT_EQ(log.job, "77");
  EXPECT_EQ(log.ahead, 1'000'000'000'000);
  ASSERT_EQ(log.events.size(), 3U);
  EXPECT_EQ(log.events[0].word("label"), "nightly build");
  EXPECT_EQ(log.events[1].from, 950'000'000);
  EXPECT_EQ(log.events[1].word("nothing"), "");
}

TEST(TraceLogs, LeaveOutWhatIsNoEvent) {
  const TraceLog log = log_of(
      "rwlease-trace/1 host=a pid=1 boot=x real=1 mono=1\n\nwait\nheld from=x to=y\nheld from=2 to=1\nlost from=1 to=1 "
      "id=aa\nlost from=2 to=2 id=a");
  ASSERT_EQ(log.events.size(), 1U) << "nor half a line at the end";
  EXPECT_EQ(log.events[0].name, "lost");
}

TEST(TraceLogs, OfSomethingElseAreRefused) {
  for (const char* text : {"", "hello\n", "rwlease-trace/2 real=1 mono=1\n", "rwlease-trace/1 host=a\n"}) {
    EXPECT_THROW(log_of(text), std::runtime_error) << text;
  }
}

TEST(StoryOfTwoHosts, IsInTheOrderInWhichItMustHaveBeen) {
  const Story story = tell({log_of(writer), log_of(reader)});
  EXPECT_THAT(told(story), ElementsAre("a waits to write", "a holds to write after 0.1 s (fence 10)", "b waits to read",
                                       "b is behind 1 holder", "a released after 4 s", "b holds to read after 3.2 s",
                                       "b released after 0.8 s"));
  ASSERT_EQ(story.notes.size(), 1U);
  EXPECT_THAT(story.notes[0], HasSubstr("the wall clock of b was ahead"));
}

TEST(StoryOfTwoHosts, DoesNotDependOnTheOrderOfTheLogs) {
  EXPECT_EQ(told(tell({log_of(reader), log_of(writer)})), told(tell({log_of(writer), log_of(reader)})));
}

// Two writers that never saw each other's markers: the numbers tell who was first.
TEST(StoryOfTwoHosts, GoesByFencingNumbersToo) {
  const char* const second =
      "rwlease-trace/1 host=b pid=2 boot=y real=0 mono=0 job=\n"
      "wait from=100 to=100 thread=9 acquire=1 mode=write lock=/s/d.rwlease label=\n"
      "held from=200 to=300 thread=9 acquire=1 id=bb fence=11\n";
  const Story story = tell({log_of(writer), log_of(second)});
  const std::vector<std::string> lines = told(story);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines.back(), HasSubstr("b holds to write"));
  EXPECT_THAT(story.notes, ElementsAre(HasSubstr("the wall clock of b was behind")));
}

TEST(Story, OfAHoldThatWasLostRenewedAndDowngraded) {
  const Story story =
      tell({log_of("rwlease-trace/1 host=a pid=1 boot=x real=0 mono=0 job=\n"
                   "wait from=100 to=100 thread=1 acquire=1 mode=write lock=/d label=\n"
                   "blocked from=100 to=110 thread=1 acquire=1 by=cc,dd claimed=1\n"
                   "held from=150 to=200 thread=1 acquire=1 id=aa fence=10\n"
                   "suspended from=300 to=300 thread=2 id=aa\n"
                   "renewed from=400 to=400 thread=2 id=ab was=aa\n"
                   "downgraded from=500 to=500 thread=1 id=ac was=ab\n"
                   "lost from=600 to=600 thread=2 id=ac\n"
                   "wait from=700 to=700 thread=1 acquire=2 mode=read lock=/d label=\n"
                   "gave-up from=800 to=800 thread=1 acquire=2\n")});
  EXPECT_THAT(told(story),
              ElementsAre("a waits to write", "a has claimed, drains 2 holders",
                          "a holds to write after 0 s (fence 10)", "a suspended", "a renewed", "a downgraded after 0 s",
                          "a holds to read after 0 s", "a lost after 0 s", "a waits to read", "a gave up after 0 s"));
}

TEST(Story, OfNothingIsEmpty) {
  EXPECT_THAT(tell({}).moments, IsEmpty());
  EXPECT_EQ(timeline_text(tell({})).find('\n'), std::string::npos);
}

TEST(ChromeTrace, HasSlicesAndArrows) {
  const json trace = json::parse(chrome_json(tell({log_of(writer), log_of(reader)})));
  int slices = 0;
  int arrows = 0;
  double released = 0;
  double granted = 0;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") {
      ++slices;
      EXPECT_GE(event["dur"].get<double>(), 0.0);
      EXPECT_GE(event["ts"].get<double>(), 0.0);
    }
    if (phase == "s") released = event["ts"];
    if (phase == "f") {
      granted = event["ts"];
      ++arrows;
    }
  }
  EXPECT_EQ(slices, 4) << "two waits, two holds";
  EXPECT_EQ(arrows, 1);
  EXPECT_LE(released, granted);
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "a.1 job 77");
}

}  // namespace
}  // namespace rwlease::cli
