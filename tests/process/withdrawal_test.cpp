// An acquire that ends without a lease, in whatever phase, leaves nothing behind.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace rwlease::test {
namespace {

// What the waiter wants, who is in the way, and the point that tells that it waits there.
struct Wait {
  const char* name;
  const char* wanted;
  const char* holder;
  const char* point;
};

std::ostream& operator<<(std::ostream& out, const Wait& wait) { return out << wait.name; }

constexpr Wait waits[] = {
    {"ReaderBehindAWriter", "read", "write", "reader-withdrawn"},
    {"WriterBehindAWriter", "write", "write", "claim-refused"},
    {"WriterDraining", "write", "read", "claimed"},
};

class Withdrawal : public testing::TestWithParam<Wait> {
 protected:
  void SetUp() override {
    holder_.ask(std::string("acquire ") + GetParam().holder);
    before_ = listing(scratch_ / "x.rwlease");
  }

  void expect_nothing_left() {
    EXPECT_EQ(listing(scratch_ / "x.rwlease"), before_);
    EXPECT_EQ(holder_.ask("verify"), "yes");
    holder_.ask("release");
    EXPECT_EQ(waiter_.ask("try write"), "held");
  }

  Scratch scratch_;
  Participant holder_{scratch_ / "x", long_lease};
  Participant waiter_{scratch_ / "x", long_lease + Words{std::string("tell=") + GetParam().point}};
  const std::string acquire_ = std::string("acquire ") + GetParam().wanted;
  std::vector<std::string> before_;
};

TEST_P(Withdrawal, AfterATimeout) {
  const std::string refusal = waiter_.refusal(acquire_ + " 300");
  EXPECT_EQ(refusal.substr(0, 7), "Timeout");
  EXPECT_NE(refusal.find(std::to_string(holder_.pid())), std::string::npos) << refusal;
  waiter_.await("point");
  expect_nothing_left();
}

TEST_P(Withdrawal, AfterOneTry) {
  EXPECT_EQ(waiter_.ask(std::string("try ") + GetParam().wanted), "busy");
  expect_nothing_left();
}

TEST_P(Withdrawal, AfterATimeoutOfZero) {
  EXPECT_EQ(waiter_.refusal(acquire_ + " 0").substr(0, 7), "Timeout");
  expect_nothing_left();
}

TEST_P(Withdrawal, AfterCancelling) {
  waiter_.send(acquire_);
  waiter_.await("point");
  EXPECT_NE(listing(scratch_ / "x.rwlease"), std::vector<std::string>{});
  waiter_.signal(SIGUSR1);
  const Line reply = waiter_.await_reply();
  EXPECT_EQ(reply.kind, "failed");
  EXPECT_EQ(reply.text.substr(0, 9), "Cancelled");
  expect_nothing_left();
}

TEST_P(Withdrawal, AfterAnObserverThatThrows) {
  waiter_.ask("throw-when-waiting");
  const std::string refusal = waiter_.refusal(acquire_);
  EXPECT_NE(refusal.find("no patience"), std::string::npos) << refusal;
  expect_nothing_left();
}

// The waiter is killed by nobody, it just stays: what it shows is gone with its lease when it exits.
TEST_P(Withdrawal, StatusTellsWhoIsThere) {
  waiter_.send(acquire_);
  waiter_.await("point");
  const std::string status = holder_.ask("status");
  EXPECT_NE(status.find(":" + std::to_string(holder_.pid())), std::string::npos) << status;
  const std::string phase = GetParam().point == std::string("claimed") ? "draining:write:" : "waiting:write:";
  const bool shows = status.find(phase + std::to_string(waiter_.pid())) != std::string::npos;
  EXPECT_EQ(shows, std::string(GetParam().wanted) == "write") << status;
}

std::string name_of(const testing::TestParamInfo<Wait>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Phase, Withdrawal, testing::ValuesIn(waits), name_of);

TEST(Deadline, CancelledBeforehandTakesNothing) {
  const Scratch scratch;
  Participant one(scratch / "x", long_lease);
  one.ask("acquire read");
  one.ask("release");
  one.signal(SIGUSR1);
  const std::string refusal = one.refusal("acquire write");
  EXPECT_EQ(refusal.substr(0, 9), "Cancelled");
  EXPECT_EQ(listing_without_fences(scratch / "x.rwlease"), std::vector<std::string>{"readers"});
}

}  // namespace
}  // namespace rwlease::test
