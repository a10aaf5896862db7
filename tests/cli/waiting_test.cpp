// What is said while the lease is waited for.
#include "program.hpp"

#include <gmock/gmock.h>

#include <signal.h>

#include <cstdlib>

namespace rwlease::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WaitingLine, SaysForWhom) {
  const Scratch scratch;
  Program holder(with_subject({"--read", "--label", "nightly build"}, scratch.path()),
                 [] { ::setenv("SLURM_JOB_ID", "4321", 1); });
  holder.await_out("ready");
  Program waiter({"run", "--write", scratch.path(), "--", "echo", "ran"});
  const std::string line = waiter.await_err("\n");
  EXPECT_THAT(line,
              AllOf(HasSubstr("rwlease: waiting "), HasSubstr(" to write " + scratch.path() + ": held by reader "),
                    HasSubstr(" pid " + std::to_string(holder.pid())), HasSubstr(" job 4321"),
                    HasSubstr(" (nightly build)"), HasSubstr(", heartbeat "), HasSubstr(" ago\n")));
  holder.send(SIGTERM);
  const Result result = waiter.finish();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "ran\n") << "nothing but what the command says goes to stdout";
}

TEST(WaitingLine, CountsTheOthers) {
  const Scratch scratch;
  Program first(with_subject({"--read"}, scratch.path()));
  first.await_out("ready");
  Program second(with_subject({"--read"}, scratch.path()));
  second.await_out("ready");
  Program third(with_subject({"--read"}, scratch.path()));
  third.await_out("ready");
  Program waiter({"run", "--write", scratch.path(), "--", "true"});
  EXPECT_THAT(waiter.await_err("\n"), HasSubstr(", and 2 others"));
}

TEST(WaitingLine, NamesAWriterToAReader) {
  const Scratch scratch;
  Program holder(with_subject({"--write"}, scratch.path()));
  holder.await_out("ready");
  Program waiter({"run", "--read", scratch.path(), "--", "true"});
  EXPECT_THAT(waiter.await_err("\n"), AllOf(HasSubstr(" to read " + scratch.path()), HasSubstr("writer "),
                                            HasSubstr(std::to_string(holder.pid()))));
}

TEST(WaitingLine, IsNotSaidWithoutWaiting) {
  const Scratch scratch;
  EXPECT_THAT(run({"run", scratch.path(), "--", "true"}).err, IsEmpty());
}

}  // namespace
}  // namespace rwlease::test
