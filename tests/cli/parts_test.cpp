// The parts of the command that need no process.
#include "arguments.hpp"
#include "duration.hpp"
#include "output.hpp"
#include "waiting_line.hpp"

#include <gmock/gmock.h>

namespace rwlease::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Duration, IsReadInSecondsWithAFraction) {
  EXPECT_EQ(parse_seconds("--x", "0"), milliseconds(0));
  EXPECT_EQ(parse_seconds("--x", "30"), seconds(30));
  EXPECT_EQ(parse_seconds("--x", "0.25"), milliseconds(250));
  EXPECT_EQ(parse_seconds("--x", ".5"), milliseconds(500));
  EXPECT_EQ(parse_seconds("--x", "2."), seconds(2));
  EXPECT_EQ(parse_seconds("--x", "1000000000"), seconds(1'000'000'000));
}

TEST(Duration, IsRoundedUpSoThatTheSmallestIsNotNone) {
  EXPECT_EQ(parse_seconds("--x", "0.00001"), milliseconds(1));
  EXPECT_EQ(parse_seconds("--x", "0.0010"), milliseconds(1));
  EXPECT_EQ(parse_seconds("--x", "0.0011"), milliseconds(2));
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"", ".", "-", "-1", "1.2.3", "1e3", "0x10", "nan", "inf", " 1", "1 ", "+1", "1s", "1,5",
                           "1000000001", "99999999999999999999999"}) {
    EXPECT_THROW(parse_seconds("--x", text), std::invalid_argument) << text;
  }
}

TEST(Duration, IsWrittenInTheUnitsPeopleUse) {
  EXPECT_EQ(to_text(milliseconds(0)), "0 s");
  EXPECT_EQ(to_text(milliseconds(250)), "0.25 s");
  EXPECT_EQ(to_text(milliseconds(12'900)), "12 s");
  EXPECT_EQ(to_text(seconds(200)), "3 min 20 s");
  EXPECT_EQ(to_text(seconds(7'200)), "2 h");
  EXPECT_EQ(to_text(seconds(90'061)), "1 d 1 h");
  EXPECT_EQ(to_text(seconds(-3)), "0 s");
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("plain ~ text"), "plain ~ text");
  EXPECT_EQ(printable("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"), "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable(std::string("\0\t\n\r\x7f", 5)), "\\x00\\x09\\x0a\\x0d\\x7f");
}

TEST(Printable, EscapesC1ControlsInBothSpellings) {
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, EscapesWhatReordersText) { EXPECT_EQ(printable("a\xe2\x80\xae"), "a\\xe2\\x80\\xae"); }

TEST(Printable, EscapesBrokenUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(Arguments, AreSplitAtTheFirstDashes) {
  const SplitArguments split = split_at_dashes({"a", "--", "b", "--", "c"});
  EXPECT_EQ(split.before, (std::vector<std::string>{"a"}));
  EXPECT_EQ(split.after, (std::vector<std::string>{"b", "--", "c"}));
  EXPECT_FALSE(split_at_dashes({"a"}).after.has_value());
}

TEST(WaitingSchedule, DoublesUpToFiveMinutes) {
  WaitingSchedule schedule;
  std::vector<int> said;
  for (int second = 0; second <= 1'500; ++second) {
    if (schedule.is_due(seconds(second))) said.push_back(second);
  }
  EXPECT_EQ(said, (std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 812, 1112, 1412}));
}

class WaitingLineText : public testing::Test {
 protected:
  WaitingLineText() {
    obstacle_.wanted = Mode::write;
    obstacle_.waited = milliseconds(12'345);
    obstacle_.others = 3;
    obstacle_.holder.host = "node07";
    obstacle_.holder.pid = 4711;
    obstacle_.holder.job = "123";
    obstacle_.holder.label = "label";
    obstacle_.holder.last_heartbeat = now_ - seconds(12);
  }

  std::string line() const { return waiting_line(obstacle_, "/scratch/x", now_); }

  const std::chrono::system_clock::time_point now_{minutes(30'000'000)};
  Obstacle obstacle_;
};

TEST_F(WaitingLineText, SaysEverythingThatIsKnown) {
  EXPECT_EQ(
      line(),
      "waiting 12 s to write /scratch/x: held by reader node07 pid 4711 job 123 (label), heartbeat 12 s ago, and 3 "
      "others");
}

TEST_F(WaitingLineText, LeavesOutWhatIsNot) {
  obstacle_.holder = {};
  obstacle_.holder.mode = Mode::write;
  obstacle_.holder.host = "node07";
  obstacle_.wanted = Mode::read;
  obstacle_.others = 1;
  EXPECT_EQ(line(), "waiting 12 s to read /scratch/x: held by writer node07, and 1 other");
}

TEST_F(WaitingLineText, TellsClaimsAndForeignEntriesApart) {
  obstacle_.others = 0;
  obstacle_.holder = {};
  obstacle_.holder.phase = Phase::draining;
  obstacle_.holder.mode = Mode::write;
  EXPECT_EQ(line(), "waiting 12 s to write /scratch/x: claimed by writer");
  obstacle_.holder.phase = Phase::foreign;
  obstacle_.holder.name = "readers/odd";
  EXPECT_EQ(line(), "waiting 12 s to write /scratch/x: blocked by a foreign entry readers/odd");
}

}  // namespace
}  // namespace rwlease::cli
