// A file system that does not answer holds up neither the end of the command nor that of rwlease.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

#include <cstdlib>
#include <fstream>

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

}  // namespace
}  // namespace rwlease::test
