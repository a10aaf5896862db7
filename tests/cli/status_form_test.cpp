// How a status is shown, on made-up ones.
#include "palette.hpp"
#include "screen.hpp"
#include "standing.hpp"
#include "status_json.hpp"
#include "status_summary.hpp"
#include "status_text.hpp"
#include "table.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace rwlease::cli {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::chrono::system_clock::time_point now{milliseconds(1'764'510'844'123)};

Participant reader() {
  Participant participant;
  participant.host = "node07";
  participant.pid = 4711;
  participant.uid = 0;
  participant.job = "123";
  participant.ranks = 4;
  participant.label = "nightly";
  participant.lease = milliseconds(90'000);
  participant.since = now - seconds(200);
  participant.last_heartbeat = now - seconds(12);
  participant.name = "readers/node07.4711";
  return participant;
}

Participant drainer() {
  Participant participant = reader();
  participant.mode = Mode::write;
  participant.phase = Phase::draining;
  return participant;
}

Status status_with(std::vector<Participant> participants) {
  Status status;
  status.directory = "/x.rwlease";
  status.exists = true;
  status.participants = std::move(participants);
  return status;
}

std::string json_of(const Status& status) { return status_json({{"/x", status}}, now); }

TEST(Summary, NamesTheState) {
  Participant writer = reader();
  writer.mode = Mode::write;
  Participant foreign;
  foreign.phase = Phase::foreign;
  Participant leftover;
  leftover.phase = Phase::leftover;
  const auto state = [](std::vector<Participant> participants) {
    return std::string(summarize(status_with(std::move(participants))).state());
  };
  EXPECT_EQ(state({}), "free");
  EXPECT_EQ(state({leftover}), "free");
  EXPECT_EQ(state({drainer()}), "claimed");
  EXPECT_EQ(state({drainer(), reader()}), "read");
  EXPECT_EQ(state({foreign}), "read") << "it counts as a holder";
  EXPECT_EQ(state({writer}), "write");
}

TEST(Text, SumsUpAndAligns) {
  EXPECT_EQ(status_text("/x", status_with({drainer(), reader()}), now),
            "/x: held by 1 reader, a writer waits for them to leave\n"
            "MODE   PHASE     HOST    PID   USER  JOB  RANKS  SINCE       HEARTBEAT  LEASE       "
            "STATE                                        LABEL\n"
            "write  draining  node07  4711  root  123  4      3 min 20 s  12 s       1 min 30 s  "
            "alive: heartbeat 12 s ago, lease 1 min 30 s  nightly\n"
            "read   holding   node07  4711  root  123  4      3 min 20 s  12 s       1 min 30 s  "
            "alive: heartbeat 12 s ago, lease 1 min 30 s  nightly\n");
}

TEST(Text, LeavesOutWhatIsNotKnown) {
  Participant unreadable;
  unreadable.readable = false;
  unreadable.name = "readers/odd";
  unreadable.id = "readers/odd";
  EXPECT_EQ(status_text("/x", status_with({unreadable}), now),
            "/x: held by 1 reader\n"
            "MODE  PHASE    STATE    ID\n"
            "read  holding  unknown  readers/odd\n");
}

TEST(Text, ShowsTheStepAsSlurmWritesIt) {
  Participant task = reader();
  task.job = "4711_3";
  task.batch.step = "0";
  EXPECT_THAT(status_text("/x", status_with({task}), now), HasSubstr(" 4711_3.0 "));
  task.job = "mine";  // named by a program itself
  EXPECT_THAT(status_text("/x", status_with({task}), now), HasSubstr(" mine "));
  task.job.clear();
  EXPECT_THAT(status_text("/x", status_with({task}), now), Not(HasSubstr("JOB")));
}

TEST(Text, WarnsOfNeighbours) {
  Status status = status_with({});
  status.neighbours = {"/x.rw"};
  EXPECT_THAT(status_text("/x", status, now), HasSubstr("warning: /x.rw belongs to another lock program"));
}

// As a half-made file on NFS may show it: its age does not fit the clock's own type.
TEST(Status, AHeartbeatFromLongAgoIsAsOldAsTheEpoch) {
  Participant ancient = reader();
  ancient.last_heartbeat = std::chrono::system_clock::time_point::min();
  const Status status = status_with({ancient});
  const double age = std::chrono::duration<double>(now.time_since_epoch()).count();
  const json shown = json::parse(json_of(status))["participants"][0];
  EXPECT_NEAR(shown["heartbeat_age_seconds"].get<double>(), age, 1.0);
  EXPECT_THAT(status_text("/x", status, now), HasSubstr("20422 d"));
}

TEST(Text, AHeartbeatFromTheFutureIsNow) {
  Participant ahead = reader();
  ahead.last_heartbeat = now + seconds(95);
  EXPECT_THAT(status_text("/x", status_with({ahead}), now), HasSubstr(" 0 s "));
}

TEST(Text, EscapesWhatOthersWrote) {
  Participant hostile = reader();
  hostile.host = "a\x1b[2J";
  hostile.job = "b\r";
  hostile.label = "c\n\x9b";
  hostile.liveness = Liveness::alive;
  hostile.why = "d\x07";
  const std::string text = status_text("/x", status_with({hostile}), now);
  EXPECT_THAT(text, AllOf(HasSubstr("a\\x1b[2J"), HasSubstr("b\\x0d"), HasSubstr("c\\x0a\\x9b"), HasSubstr("d\\x07")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(JsonForm, HasEveryKeyAndNullForTheUnknown) {
  const json empty = json::parse(json_of(status_with({Participant{}})))["participants"][0];
  const json full = json::parse(json_of(status_with({reader()})))["participants"][0];
  EXPECT_EQ(full.size(), 24U);
  EXPECT_EQ(empty.size(), full.size());
  for (const auto& [key, value] : full.items()) ASSERT_TRUE(empty.contains(key)) << key;
  for (const char* key : {"host", "pid", "uid", "user", "job", "cluster", "step", "node", "ranks", "label",
                          "lease_seconds", "since", "last_heartbeat", "heartbeat_age_seconds", "why", "standing_why"}) {
    EXPECT_TRUE(empty[key].is_null()) << key;
  }
  EXPECT_EQ(full["since"], "2025-11-30T13:50:44.123Z");
  EXPECT_EQ(full["heartbeat_age_seconds"], 12.0);
  EXPECT_EQ(full["ranks"], 4);
  EXPECT_EQ(full["user"], "root");
}

TEST(JsonForm, IsAnArrayForSeveral) {
  const Status status = status_with({});
  const json both = json::parse(status_json({{"/x", status}, {"/y", status}}, now, {true, false}));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1]["path"], "/y");
}

TEST(JsonForm, IsOneLineWhereThatIsAskedFor) {
  const std::string text = status_json({{"/x", status_with({reader()})}}, now, {false, true});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(json::accept(text));
}

TEST(Standing, GoesByProofFirstThenByTheHeartbeatsAge) {
  const auto standing = [](Liveness liveness, seconds age) {
    Participant participant = reader();
    participant.liveness = liveness;
    participant.last_heartbeat = now - age;
    return std::string(to_string(judge(participant, now).standing));
  };
  EXPECT_EQ(standing(Liveness::dead, seconds(1)), "dead");
  EXPECT_EQ(standing(Liveness::alive, seconds(90)), "alive");
  EXPECT_EQ(standing(Liveness::alive, seconds(91)), "suspect") << "it runs, and yet others will evict it";
  EXPECT_EQ(standing(Liveness::unknown, seconds(90)), "alive");
  EXPECT_EQ(standing(Liveness::unknown, seconds(91)), "suspect");
  EXPECT_EQ(std::string(to_string(judge(Participant{}, now).standing)), "unknown");
}

TEST(Standing, SaysWhy) {
  Participant silent = reader();
  silent.last_heartbeat = now - seconds(100);
  EXPECT_EQ(judge(silent, now).why, "last heartbeat 1 min 40 s ago, lease 1 min 30 s");
}

TEST(Colours, ComeOnlyFromAPaletteThatIsOn) {
  const Status status = status_with({reader()});
  EXPECT_EQ(status_text("/x", status, now).find('\x1b'), std::string::npos);
  EXPECT_THAT(status_text("/x", status, now, Palette(true)), HasSubstr("\x1b[32malive\x1b[0m"));
}

TEST(Colours, TakeNoRoomInATable) {
  const Palette palette(true);
  EXPECT_EQ(table({{"A", "B"}, {palette.bad("u"), "1"}, {"uu", "2"}}), "A   B\n\x1b[31mu\x1b[0m   1\nuu  2\n");
}

TEST(Frame, CutsWhatDoesNotFit) {
  const std::string drawn = frame("abcdef\n\x1b[31mgh\x1b[0mijk\nl\nm\n", {3, 4});
  EXPECT_EQ(drawn,
            "\x1b[Habcd\x1b[0m\x1b[K\r\n"
            "\x1b[31mgh\x1b[0mij\x1b[0m\x1b[K\r\n"
            "... \x1b[0m\x1b[K\x1b[J");
}

TEST(Frame, ShowsAllThatFits) { EXPECT_EQ(frame("ab\nc\n", {2, 4}), "\x1b[Hab\x1b[0m\x1b[K\r\nc\x1b[0m\x1b[K\x1b[J"); }

TEST(JsonForm, IsPureAsciiWhateverOthersWrote) {
  Participant hostile = reader();
  hostile.label = "\x1b[2J\x7f\xc2\x9b \xff\xfe \xe2\x80\xae";
  Status status = status_with({hostile});
  status.neighbours = {"/x\x9b"};
  const std::string text = json_of(status);
  for (const char c : text) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
  EXPECT_TRUE(json::accept(text));
}

TEST(JsonForm, KeepsAllBitsOfAFence) {
  Status status = status_with({});
  status.fence = 18'446'744'073'709'551'615ULL;
  EXPECT_THAT(json_of(status), HasSubstr("\"fence\": 18446744073709551615"));
}

TEST(Table, CountsCharactersNotBytes) {
  EXPECT_EQ(table({{"A", "B"}, {"\xc3\xbc", "1"}, {"uu", "2"}}), "A   B\n\xc3\xbc   1\nuu  2\n");
}

}  // namespace
}  // namespace rwlease::cli
