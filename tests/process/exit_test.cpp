// Every way in which a holder's process may end without a release.
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/fork_safety.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

namespace rwlease::test {
namespace {

std::vector<std::string> nothing_held() { return {"readers"}; }

class Exit : public testing::TestWithParam<const char*> {
 protected:
  const std::string mode_ = GetParam();
  Scratch scratch_;
  Participant holder_{scratch_ / "x", long_lease};
};

TEST_P(Exit, ByExitGivesBack) {
  holder_.ask("acquire " + mode_);
  holder_.send("end exit");
  EXPECT_EQ(holder_.await_exit(), 0);
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
}

TEST_P(Exit, ByReturnFromMainWithALeakedLeaseGivesBack) {
  holder_.ask("acquire " + mode_);
  holder_.send("end return");
  EXPECT_EQ(holder_.await_exit(), 0);
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
}

TEST_P(Exit, DestroyedLeaseGivesBack) {
  holder_.ask("acquire " + mode_);
  holder_.close_input();
  EXPECT_EQ(holder_.await_exit(), 0);
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
}

// No code of the library runs then; the proof of death serves.
TEST_P(Exit, ByUnderscoreExitIsProvenDead) {
  holder_.ask("acquire " + mode_);
  holder_.send("end _exit");
  holder_.await_exit();
  EXPECT_NE(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
  Participant next(scratch_ / "x", long_lease);
  EXPECT_EQ(next.ask("acquire write 20000"), "yes");
}

// The same process goes on as another program: alive while it runs, dead when it ends.
TEST_P(Exit, ByExecIsDeadWhenTheProcessEnds) {
  holder_.ask("acquire " + mode_);
  holder_.send("end exec");
  holder_.await("ending");
  holder_.send("1 echoed");
  holder_.await("echoed");
  Participant next(scratch_ / "x", long_lease);
  EXPECT_EQ(next.ask("try write"), "busy");
  holder_.close_input();
  holder_.await_exit();
  EXPECT_EQ(next.ask("acquire write 20000"), "yes");
}

TEST_P(Exit, ByExecShowsNoLifeAnyMore) {
  Participant holder(scratch_ / "x", short_lease);
  holder.ask("acquire " + mode_);
  holder.send("end exec");
  holder.await("ending");
  holder.send("1 echoed");
  holder.await("echoed");
  Participant next(scratch_ / "x", short_lease);
  EXPECT_EQ(next.ask("acquire write"), "yes");
}

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Mode, Exit, testing::Values("read", "write"), name_of);

class Signal : public testing::TestWithParam<const char*> {
 protected:
  const std::string mode_ = GetParam();
  Scratch scratch_;
  Participant holder_{scratch_ / "x", long_lease};
};

TEST_P(Signal, GivesBackAndDiesOfIt) {
  for (const auto& [name, number] :
       {std::pair("TERM", SIGTERM), std::pair("HUP", SIGHUP), std::pair("XCPU", SIGXCPU)}) {
    Participant holder(scratch_ / "x", long_lease);
    holder.ask("acquire " + mode_);
    holder.ask(std::string("release-on ") + name);
    holder.signal(number);
    const int status = holder.await_exit();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held()) << name;
  }
}

TEST_P(Signal, WithoutOptingInLeavesTheMarkerToTheProof) {
  holder_.ask("acquire " + mode_);
  holder_.signal(SIGTERM);
  holder_.await_exit();
  EXPECT_NE(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
  Participant next(scratch_ / "x", long_lease);
  EXPECT_EQ(next.ask("acquire write 20000"), "yes");
}

TEST_P(Signal, CallsThePreviousHandler) {
  holder_.ask("handle TERM");
  holder_.ask("acquire " + mode_);
  holder_.ask("release-on TERM");
  holder_.signal(SIGTERM);
  holder_.await("handled");
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
  EXPECT_EQ(holder_.ask("valid"), "no");
  EXPECT_EQ(holder_.ask("release"), "already lost");
  EXPECT_EQ(holder_.ask("acquire " + mode_), "yes") << "it may go on";
  holder_.signal(SIGTERM);
  holder_.await("handled");
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held()) << "the second time too";
}

TEST_P(Signal, ReleasesAfterDowngradeToo) {
  holder_.ask("release-on TERM");
  holder_.ask("acquire write");
  holder_.ask("downgrade");
  holder_.signal(SIGTERM);
  holder_.await_exit();
  EXPECT_EQ(listing_without_fences(scratch_ / "x.rwlease"), nothing_held());
}

TEST_P(Signal, ForkedChildWithTheHandlerLeavesTheParentsMarker) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "this sanitizer does not deliver signals in a child forked beside other threads";
#endif
  if (const char* why = why_no_fork_beside_threads()) GTEST_SKIP() << why;
  holder_.ask("acquire " + mode_);
  holder_.ask("release-on TERM");
  const std::string child = holder_.ask("fork pause");
  EXPECT_EQ(::kill(std::stoi(child), SIGTERM), 0);
  EXPECT_EQ(holder_.ask("reap " + child), "signal " + std::to_string(SIGTERM));
  EXPECT_EQ(holder_.ask("verify"), "yes");
  EXPECT_EQ(holder_.ask("release"), "released");
}

INSTANTIATE_TEST_SUITE_P(Mode, Signal, testing::Values("read", "write"), name_of);

}  // namespace
}  // namespace rwlease::test
