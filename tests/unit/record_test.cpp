// The line that a marker carries.
#include "protocol/names.hpp"
#include "protocol/observer.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

namespace rwlease::test {
namespace {

using protocol::longest_record;
using protocol::Record;

const std::string token = "0123456789abcdef0123456789abcdef";

Record full_record() {
  Record record;
  record.token = token;
  record.host = "node07.cluster";
  record.lease = 90'250ms;
  record.process = {"4f1c-boot", 4026531836, 4711, 123456};
  record.uid = 1000;
  record.sole = true;
  record.process_group = 4700;
  record.ranks = 64;
  record.since = 1'700'000'000'123ms;
  record.job = "99_3";
  record.batch = {"big iron", "4711", "0", "node07", 2};
  record.label = "nightly rebuild";
  return record;
}

TEST(RecordTest, ReadsAsItWasWritten) {
  const auto read = Record::parse(full_record().text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->token, token);
  EXPECT_EQ(read->host, "node07.cluster");
  EXPECT_EQ(read->lease, 90'250ms);
  EXPECT_EQ(read->process.boot_id, "4f1c-boot");
  EXPECT_EQ(read->process.pidns, 4026531836U);
  EXPECT_EQ(read->process.pid, 4711);
  EXPECT_EQ(read->process.start, 123456U);
  EXPECT_EQ(read->uid, 1000U);
  EXPECT_TRUE(read->sole);
  EXPECT_EQ(read->process_group, 4700);
  EXPECT_EQ(read->ranks, 64);
  EXPECT_EQ(read->since, 1'700'000'000'123ms);
  EXPECT_EQ(read->job, "99_3");
  EXPECT_EQ(read->batch.cluster, "big iron");
  EXPECT_EQ(read->batch.id, "4711");
  EXPECT_EQ(read->batch.step, "0");
  EXPECT_EQ(read->batch.node, "node07");
  EXPECT_EQ(read->batch.restarts, 2);
  EXPECT_EQ(read->label, "nightly rebuild");
}

TEST(RecordTest, IsOneLineOfPlainWords) {
  const std::string text = full_record().text();
  EXPECT_EQ(text.substr(0, 50), "rwlease/1 token=" + token + " p");
  for (const char c : text) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  EXPECT_NE(text.find(" lease=90.25 "), std::string::npos) << text;
}

TEST(RecordTest, LeasesKeepTheirMilliseconds) {
  for (const auto lease : {1ms, 10ms, 100ms, 1000ms, 1001ms, 90'000ms, 86'400'000ms}) {
    Record record = full_record();
    record.lease = lease;
    EXPECT_EQ(Record::parse(record.text())->lease, lease);
  }
}

TEST(RecordTest, BytesThatCouldEndAWordAreEscaped) {
  for (const std::string& value :
       {std::string("a b"), std::string("100%"), std::string("\n token=x"), std::string("\xc3\xbc"),
        std::string("a\0b", 3), std::string("%41"), std::string("=")}) {
    Record record = full_record();
    record.label = record.host = value;
    const auto read = Record::parse(record.text());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->label, value);
    EXPECT_EQ(read->host, value);
    EXPECT_EQ(read->token, token);
  }
}

TEST(RecordTest, NeverExceedsItsLimitAndKeepsWhatDecides) {
  Record record = full_record();
  record.host = std::string(5000, '\xff');
  record.job = std::string(5000, '\xff');
  record.label = std::string(5000, '\n');
  const std::string text = record.text();
  EXPECT_LE(text.size(), longest_record);
  const auto read = Record::parse(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->process.start, 123456U);
  EXPECT_TRUE(read->sole);
  EXPECT_EQ(read->process_group, 4700);
}

// Both decide over lives, so neither is left out for want of room; together they fit whatever they are made of.
TEST(RecordTest, AHostAndABootThatMustBeEscapedFitTogether) {
  for (const std::size_t length : {85U, 86U, 256U, 5000U}) {
    Record record = full_record();
    record.host = std::string(length, '\x80');
    record.process.boot_id = "b" + std::string(length, ' ');
    record.lease = std::chrono::milliseconds(std::int64_t{1000} * 4294967295 + 999);
    record.process.pid = record.process_group = std::numeric_limits<pid_t>::max();
    record.process.start = record.process.pidns = record.process.timens = std::numeric_limits<std::uint64_t>::max();
    record.uid = std::numeric_limits<uid_t>::max();
    record.ranks = std::numeric_limits<int>::min();
    record.since = 9'223'372'036'854ms;
    const std::string text = record.text();
    EXPECT_LE(text.size(), longest_record);
    const auto read = Record::parse(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->host, std::string(85, '\x80')) << "cut, but not within an escape";
    EXPECT_EQ(read->process.boot_id, "b" + std::string(std::min<std::size_t>(length, 85), ' '));
    EXPECT_EQ(read->lease, record.lease);
    EXPECT_EQ(read->process_group, record.process_group);
    EXPECT_EQ(read->text(), text);
  }
}

TEST(RecordTest, WordsItDoesNotKnowAreIgnored) {
  const auto read = Record::parse("rwlease/1 colour=red token=" + token + " pid=5 empty= = junk rwlease/2 lease=90");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->process.pid, 5);
  EXPECT_EQ(read->lease, 90s);
}

class MalformedRecordTest : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedRecordTest, IsNoRecord) { EXPECT_FALSE(Record::parse(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Each, MalformedRecordTest,
                         ::testing::Values("", "\n", " ", "rwlease/1", "rwlease/2 token=" + token + " pid=5",
                                           "token=" + token + " pid=5", "rwlease/1 token=" + token, "rwlease/1 pid=5",
                                           "rwlease/1 token=short pid=5", "rwlease/1 token=" + token + " pid=0",
                                           "rwlease/1 token=" + token + " pid=-5",
                                           "rwlease/1 token=" + token + " pid=5x",
                                           "rwlease/1 token=" + token + " pid=99999999999999999999",
                                           "rwlease/1 token=" + token + " pid=5 label=" + std::string(1024, 'x')));

TEST(RecordTest, BrokenNumbersCountAsNotSaid) {
  const auto read =
      Record::parse("rwlease/1 token=" + token +
                    " pid=5 lease=-3 start=0x10 pidns= uid=1e3 group=-7z ranks=1.5 since=then boot=%zz%4");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->lease, 0ms);
  EXPECT_EQ(read->process.start, 0U);
  EXPECT_EQ(read->process.pidns, 0U);
  EXPECT_EQ(read->uid, 0U);
  EXPECT_EQ(read->process_group, 0);
  EXPECT_EQ(read->ranks, 0);
  EXPECT_EQ(read->since, 0ms);
  EXPECT_EQ(read->process.boot_id, "%zz%4");
}

TEST(RecordTest, ATimeThatNoClockShowsCountsAsNotSaid) {
  for (const char* since : {"9223372036854775807", "-9223372036854775808", "9223372036855", "-1"}) {
    const auto read = Record::parse("rwlease/1 token=" + token + " pid=5 since=" + since);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->since, 0ms) << since;
  }
  EXPECT_EQ(Record::parse("rwlease/1 token=" + token + " pid=5 since=9223372036854")->since, 9223372036854ms);
}

TEST(RecordTest, NoBytesWhateverMakeItCrash) {
  std::minstd_rand random(1);
  const std::string good = full_record().text();
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good.substr(0, random() % (good.size() + 1));
    for (unsigned i = random() % 8; i > 0 && !text.empty(); --i)
      text[random() % text.size()] = static_cast<char>(random());
    const auto read = Record::parse(text);
    EXPECT_TRUE(!read || (protocol::is_token(read->token) && read->process.pid > 0));
  }
}

class RecordInPlaceTest : public WorldTest {
 protected:
  // What an observer makes of an entry of this name with this record.
  bool trusted(const std::string& name, const std::string& text, fs::Type type = fs::Type::symlink) {
    Actor& observer = world_.join();
    const auto site = observer.site();
    world_.plant("readers/" + name, type, text);
    fs::Attributes attributes;
    EXPECT_TRUE(site.directory->look("readers/" + name, attributes).ok());
    const bool known = protocol::Observer(site).record("readers/" + name, attributes).has_value();
    world_.unplant("readers/" + name);
    return known;
  }

  const std::string name_ = "node07.4711.90000." + token;
};

TEST_F(RecordInPlaceTest, OneThatAgreesWithItsNameIsTrusted) {
  EXPECT_TRUE(trusted(name_, full_record().text()));
  EXPECT_TRUE(trusted("." + name_, full_record().text()));
  EXPECT_TRUE(trusted(name_, full_record().text() + "\n", fs::Type::file));
}

TEST_F(RecordInPlaceTest, OneThatDisagreesIsNot) {
  Record other = full_record();
  other.token[0] = 'f';
  EXPECT_FALSE(trusted(name_, other.text()));
  other = full_record();
  other.process.pid = 4712;
  EXPECT_FALSE(trusted(name_, other.text()));
  EXPECT_FALSE(trusted("foreign", full_record().text()));
}

TEST_F(RecordInPlaceTest, WhatIsNoPlainMarkerIsNotRead) {
  EXPECT_FALSE(trusted(name_, full_record().text(), fs::Type::other));
  EXPECT_FALSE(trusted(name_, full_record().text(), fs::Type::directory));
  EXPECT_FALSE(trusted(name_, full_record().text() + std::string(2000, ' '), fs::Type::file));
}

TEST_F(RecordInPlaceTest, AFileWithAnotherNameElsewhereIsNotRead) {
  Actor& observer = world_.join();
  const auto site = observer.site();
  world_.plant("readers/" + name_, fs::Type::file, full_record().text());
  world_.node("readers/" + name_)->links = 2;
  fs::Attributes attributes;
  ASSERT_TRUE(site.directory->look("readers/" + name_, attributes).ok());
  observer.take_calls();
  EXPECT_FALSE(protocol::read_record(*site.directory, "readers/" + name_, attributes));
  EXPECT_TRUE(observer.take_calls().empty()) << "not even opened";
}

}  // namespace
}  // namespace rwlease::test
