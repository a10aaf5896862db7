// Options that cannot work are refused, each in one sentence.
#include <rwlease/error.hpp>
#include <rwlease/options.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace rwlease {
namespace {

using namespace std::chrono_literals;

struct Refused {
  const char* name;
  std::function<void(Options&)> change;
  const char* word;  // in the sentence
};

class OptionsTest : public ::testing::TestWithParam<Refused> {};

TEST_P(OptionsTest, Refused) {
  Options options;
  GetParam().change(options);
  try {
    options.validate();
    FAIL() << "accepted";
  } catch (const InvalidOptions& refused) {
    const std::string& sentence = refused.cause();
    EXPECT_NE(sentence.find(GetParam().word), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos);
    EXPECT_EQ(sentence.find(". "), std::string::npos) << "one sentence: " << sentence;
    EXPECT_LT(sentence.size(), 200U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, OptionsTest,
    ::testing::Values(Refused{"NoInterval", [](Options& o) { o.interval = 0ms; }, "interval"},
                      Refused{"ShortInterval", [](Options& o) { o.interval = 9ms; }, "at least 10 ms"},
                      Refused{"NegativeInterval", [](Options& o) { o.interval = -30s; }, "interval"},
                      Refused{"EndlessInterval", [](Options& o) { o.interval = std::chrono::milliseconds::max(); },
                              "a day"},
                      Refused{"ShortLease", [](Options& o) { o.lease = 59'999ms; }, "two intervals"},
                      Refused{"NegativeLease", [](Options& o) { o.lease = -1s; }, "two intervals"},
                      Refused{"LongLease", [](Options& o) { o.lease = 24h + 1ms; }, "at most a day"},
                      Refused{"NoMargin", [](Options& o) { o.margin = 0ms; }, "margin"},
                      Refused{"NegativeMargin", [](Options& o) { o.margin = -1ms; }, "margin"},
                      Refused{"WideMargin", [](Options& o) { o.margin = 60s; }, "margin"},
                      Refused{"MarginRoundedToNothing",
                              [](Options& o) {
                                o.interval = 10ms;
                                o.lease = 20ms;
                                o.margin = 10ms;
                                o.poll_min = o.poll_max = 1ms;
                              },
                              "margin"},
                      Refused{"NoPoll", [](Options& o) { o.poll_min = 0ms; }, "poll_min"},
                      Refused{"PollsTheWrongWayRound", [](Options& o) { o.poll_min = 2s; }, "poll_max"},
                      Refused{"PollLongerThanTheInterval",
                              [](Options& o) {
                                o.interval = 500ms;
                                o.lease = 90s;
                              },
                              "interval"},
                      Refused{"PollLongerThanAFifthOfTheLease",
                              [](Options& o) {
                                o.interval = 1s;
                                o.poll_max = 601ms;
                              },
                              "a fifth of the lease"},
                      Refused{"NegativeStandBack", [](Options& o) { o.stand_back = -1ms; }, "stand_back"},
                      Refused{"GroupWithoutSharing", [](Options& o) { o.group = 100; }, "group"},
                      Refused{"LongLabel", [](Options& o) { o.label = std::string(129, 'x'); }, "label"},
                      Refused{"LabelOfTwoLines", [](Options& o) { o.label = "a\nb"; }, "label"},
                      Refused{"LabelNotAscii", [](Options& o) { o.label = "\xc3\xbc"; }, "label"},
                      Refused{"LabelWithANul", [](Options& o) { o.label = std::string("a\0b", 3); }, "label"},
                      Refused{"LongJob", [](Options& o) { o.job = std::string(129, 'x'); }, "job"},
                      Refused{"NoRanks", [](Options& o) { o.ranks = 0; }, "ranks"},
                      Refused{"NegativeProcessGroup", [](Options& o) { o.process_group = -1; }, "process_group"},
                      Refused{"ProcessGroupNotSole",
                              [](Options& o) {
                                o.process_group = 77;
                                o.sole = false;
                              },
                              "sole"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GoodOptionsTest, TheDefaultsAndWhatFollowsFromThem) {
  const Options options;
  EXPECT_NO_THROW(options.validate());
  EXPECT_EQ(options.effective_lease(), 90s);
  EXPECT_EQ(options.effective_margin(), 9s);
  EXPECT_EQ(options.effective_stand_back(), options.poll_min);
}

TEST(GoodOptionsTest, TheLimitsThemselves) {
  Options options;
  options.interval = 10ms;
  options.lease = 20ms;
  options.margin = 9ms;
  options.poll_min = 1ms;
  options.poll_max = 4ms;
  options.label = std::string(128, '~');
  options.sharing = Sharing::group;
  options.group = 0;
  EXPECT_NO_THROW(options.validate());
  options.interval = 12h;
  options.lease = 24h;
  options.margin = 12h - 1ms;
  EXPECT_NO_THROW(options.validate());
}

}  // namespace
}  // namespace rwlease
