// Start times are shifted by a time namespace, so they prove a death only to those in the same one.
#include "fs/host.hpp"
#include "protocol/observer.hpp"
#include "protocol/record.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <optional>

namespace rwlease::protocol {
namespace {

class TimeNamespaceTest : public ::testing::Test {
 protected:
  // What a process of this boot and pid namespace left, with that shift of its time namespace against ours.
  Record record_of(pid_t pid, std::uint64_t shift) const {
    Record record;
    record.token = "0123456789abcdef0123456789abcdef";
    record.host = host_.name();
    record.lease = std::chrono::seconds(90);
    record.sole = true;
    record.process = host_.self();
    record.process.pid = pid;
    record.process.timens += shift;
    return record;
  }
  // As an observer sees it, who has only the text.
  fs::ProcessState judge(const Record& record) const {
    const std::optional<Record> read = Record::parse(record.text());
    return read ? check_death(host_, *read).state : fs::ProcessState::unknown;
  }
  static pid_t ended_child() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }

  const fs::SystemHost host_;
};

TEST_F(TimeNamespaceTest, AnotherOneProvesNoDeath) {
  Record live = record_of(::getpid(), 1);
  live.process.start += 1;  // it looks later or earlier from there
  EXPECT_EQ(judge(live), fs::ProcessState::unknown);
  EXPECT_EQ(judge(record_of(ended_child(), 1)), fs::ProcessState::unknown);
}

TEST_F(TimeNamespaceTest, TheSameDoes) {
  EXPECT_EQ(judge(record_of(::getpid(), 0)), fs::ProcessState::running);
  EXPECT_EQ(judge(record_of(ended_child(), 0)), fs::ProcessState::gone);
}

TEST_F(TimeNamespaceTest, StandsInTheRecord) {
  const Record written = record_of(::getpid(), 7);
  const auto read = Record::parse(written.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->process.timens, written.process.timens);
}

}  // namespace
}  // namespace rwlease::protocol
