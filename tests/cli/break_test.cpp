// rwlease break: takes a lease from its holder, and from nobody else.
#include "program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <signal.h>

#include <fstream>

namespace rwlease::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Break : public testing::Test {
 protected:
  static std::vector<std::string> watchful(const std::vector<std::string>& more = {}) {
    std::vector<std::string> options{"--interval", "0.3", "--lease", "4"};
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }

  json participants() const { return json::parse(run({"status", "--json", scratch_.path()}).out)["participants"]; }

  // Of the process that rwlease is.
  std::string id_of(const Program& program) const {
    for (const json& participant : participants()) {
      if (participant["pid"] == program.pid()) return participant["id"];
    }
    ADD_FAILURE() << "it is not there";
    return {};
  }

  Result try_write() const { return run({"run", "--timeout", "0", scratch_.path(), "--", "true"}); }

  const Scratch scratch_;
};

TEST_F(Break, RemovesTheOneThatIsNamedAndItsCommandEnds) {
  Program victim(with_subject(watchful({"--read"}), scratch_.path()));
  victim.await_out("ready");
  Program other(with_subject({"--read"}, scratch_.path()));
  other.await_out("ready");
  const std::string id = id_of(victim);
  const Result result = run({"break", "--force", "--id", id, scratch_.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(StartsWith("removed reader"), HasSubstr(id)));
  EXPECT_EQ(victim.finish().code, 123);
  ASSERT_EQ(participants().size(), 1U);
  EXPECT_EQ(participants()[0]["pid"], other.pid());
}

TEST_F(Break, KeepsOthersOutUntilTheHolderMustHaveNoticed) {
  Program victim(with_subject({"--lease", "4"}, scratch_.path()));
  victim.await_out("ready");
  victim.stop();  // it cannot notice
  Program breaking({"break", "--force", "--id", id_of(victim), scratch_.path()});
  breaking.await_out("removed writer");
  breaking.await_err("others get in when it must have noticed");
  EXPECT_EQ(try_write().code, 124);
  EXPECT_EQ(breaking.finish().code, 0);
  EXPECT_EQ(try_write().code, 0);
  victim.send(SIGCONT);
  EXPECT_EQ(victim.finish().code, 123);
}

TEST_F(Break, ThatIsInterruptedLeavesTheWaitToTheOthers) {
  Program victim(with_subject({"--lease", "4"}, scratch_.path()));
  victim.await_out("ready");
  victim.stop();
  Program breaking({"break", "--force", "--id", id_of(victim), scratch_.path()});
  breaking.await_err("others get in");
  breaking.send(SIGINT);
  EXPECT_EQ(breaking.await_exit(), 128 + SIGINT);
  EXPECT_EQ(try_write().code, 124);
  EXPECT_EQ(run({"run", "--lease", "4", "--timeout", "60", scratch_.path(), "--", "true"}).code, 0);
}

TEST_F(Break, LetsOthersInAtOnceWhenToldTo) {
  Program victim(with_subject(watchful(), scratch_.path()));
  victim.await_out("ready");
  const Result result = run({"break", "--force", "--now", "--id", id_of(victim), scratch_.path()});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(try_write().code, 0);
  EXPECT_EQ(victim.finish().code, 123);
}

TEST_F(Break, RefusesToTakeALeaseFromTheLivingUnasked) {
  Program holder(with_subject({}, scratch_.path()));
  holder.await_out("ready");
  const Result result = run({"break", "--id", id_of(holder), scratch_.path()});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("no terminal to ask on"), HasSubstr("--force")));
  EXPECT_EQ(participants().size(), 1U);
}

TEST_F(Break, OfTheDeadLeavesTheLivingAlone) {
  Program dead(with_subject({"--read", "--local"}, scratch_.path()));
  dead.await_out("ready");
  Program living(with_subject({"--read", "--local"}, scratch_.path()));
  living.await_out("ready");
  EXPECT_EQ(run({"break", "--dead", scratch_.path()}).code, 1) << "nobody is dead yet";
  dead.send(SIGKILL);
  dead.await_exit();
  dead.await_end_of_out();
  while (participants().size() == 2 && participants()[0]["liveness"] == participants()[1]["liveness"]) {
  }
  const Result result = run({"break", "--dead", scratch_.path()});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("pid " + std::to_string(dead.pid())));
  ASSERT_EQ(participants().size(), 1U);
  EXPECT_EQ(participants()[0]["pid"], living.pid());
}

TEST_F(Break, OfAllTakesEveryHolder) {
  Program one(with_subject(watchful({"--read"}), scratch_.path()));
  one.await_out("ready");
  Program other(with_subject(watchful({"--read"}), scratch_.path()));
  other.await_out("ready");
  std::ofstream(scratch_.path() + ".rwlease/readers/odd") << "x";
  EXPECT_EQ(run({"break", "--all", "--force", scratch_.path()}).code, 0);
  EXPECT_EQ(one.finish().code, 123);
  EXPECT_EQ(other.finish().code, 123);
  EXPECT_EQ(listing_without_fences(scratch_.path() + ".rwlease"), std::vector<std::string>{"readers"});
}

TEST_F(Break, LeavesAWriterInLineAlone) {
  Program holder(with_subject({}, scratch_.path()));
  holder.await_out("ready");
  Program waiter(with_subject({}, scratch_.path()));
  waiter.await_err("waiting");
  const Result result = run({"break", "--force", "--id", id_of(waiter), scratch_.path()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("end its process instead"));
  holder.send(SIGTERM);
  waiter.await_out("ready");
}

TEST_F(Break, OfWhatIsNotThereIsNothingToDo) {
  const Result unused = run({"break", "--all", "--force", scratch_.path()});
  EXPECT_EQ(unused.code, 1);
  EXPECT_THAT(unused.err, HasSubstr("nothing to do"));
  EXPECT_TRUE(listing(scratch_.directory()).empty()) << "nothing is made";
  run({"run", scratch_.path(), "--", "true"});
  EXPECT_EQ(run({"break", "--force", "--id", "node07.1.00000000", scratch_.path()}).code, 1);
}

}  // namespace
}  // namespace rwlease::test
