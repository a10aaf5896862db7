// A file system that does not answer holds up neither the end of the command nor that of rwlease.
#include "arrival.hpp"
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

namespace rwlease::test {
namespace {

using testing::HasSubstr;

class Hang : public testing::Test {
 protected:
  std::string switch_file() const { return scratch_.path("hang"); }
  void begin() const { std::ofstream(switch_file()) << "now\n"; }

  std::function<void()> preloaded() const {
    return [file = switch_file()] {
      ::setenv("LD_PRELOAD", RWLEASE_CLI_HANG_PROGRAM, 1);
      ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
      ::setenv("RWLEASE_TEST_HANG", file.c_str(), 1);
    };
  }

  const Scratch scratch_;
};

TEST_F(Hang, OfTheHeartbeatEndsTheCommandOnTime) {
  Program program(with_subject({"--lease", "2", "--grace", "0.5"}, scratch_.path()), preloaded());
  program.await_out("ready");
  begin();
  const Result result = program.finish();
  EXPECT_EQ(result.code, 123);
  EXPECT_THAT(result.out, HasSubstr("signal 15\n"));
  EXPECT_THAT(result.err, HasSubstr("no heartbeat reached the file system"));
}

TEST_F(Hang, OfTheReleaseIsLeftAloneWhenTheLeaseHasPassed) {
  Program program({"run", "--lease", "4", "--grace", "0.2", scratch_.path(), "--", "touch", switch_file()},
                  preloaded());
  const Result result = program.finish();
  EXPECT_EQ(result.code, 0) << "all the work was done under the lease";
  EXPECT_THAT(result.err, HasSubstr("the file system does not answer"));
}

TEST_F(Hang, OfTheWithdrawalIsLeftAloneAfterTheGracePeriod) {
  Program holder(with_subject({"--read"}, scratch_.path()));
  holder.await_out("ready");
  Program waiter({"run", "--write", "--grace", "0.2", scratch_.path(), "--", "true"}, preloaded());
  waiter.await_err("waiting");
  begin();
  waiter.send(SIGTERM);
  const Result result = waiter.finish();
  EXPECT_EQ(result.code, 128 + SIGTERM);
  EXPECT_THAT(result.err, HasSubstr("the file system does not answer"));
}

// Each with a file system that hangs from its first look on, and all at once.
class HangOfCommands : public Hang {
 protected:
  HangOfCommands() {
    EXPECT_EQ(run({"run", scratch_.path(), "--", "true"}).code, 0);
    begin();
  }

  void start(std::vector<std::string> words) {
    const Arrival reached(scratch_.directory());
    programs_.push_back(std::make_unique<Program>(words, preloaded()));
    while (!std::filesystem::exists(switch_file() + ".reached")) reached.await();
    std::filesystem::remove(switch_file() + ".reached");
  }
  void send_all(int signal) const {
    for (const auto& program : programs_) program->send(signal);
  }

  std::vector<std::unique_ptr<Program>> programs_;
};

// They make nothing, so the signal ends them as it is.
TEST_F(HangOfCommands, LeavesThoseThatLookOnlyToTheSignal) {
  start({"status", scratch_.path()});
  start({"status", "--watch", scratch_.path()});
  start({"wait", scratch_.path()});
  start({"wait", "--generation", "1", scratch_.path()});
  start({"fence", scratch_.path()});
  start({"lockfile", "check", scratch_.path("file")});
  send_all(SIGTERM);
  for (const auto& program : programs_) EXPECT_EQ(program->await_exit(), 128 + SIGTERM);
}

TEST_F(HangOfCommands, IsLeftAfterAGracePeriodByThoseThatTidyUp) {
  start({"break", "--dead", scratch_.path()});
  start({"probe", scratch_.directory()});
  start({"lockfile", "create", scratch_.path("file")});
  start({"lockfile", "touch", scratch_.path("file")});
  start({"lockfile", "remove", scratch_.path("file")});
  send_all(SIGINT);
  for (const auto& program : programs_) {
    const Result result = program->finish();
    EXPECT_EQ(result.code, 128 + SIGINT);
    EXPECT_THAT(result.err, HasSubstr("interrupted by SIGINT, and the file system does not answer; leaving it"));
  }
}

}  // namespace
}  // namespace rwlease::test
