// What a person reads when something fails.
#include "protocol/failure.hpp"

#include "log.hpp"
#include "support/world.hpp"

namespace rwlease::test {
namespace {

TEST(ErrorTest, NamesOperationPathAndCause) {
  const Error error("listing", "/scratch/data.rwlease", "Input/output error", {EIO, std::generic_category()});
  EXPECT_STREQ(error.what(), "listing /scratch/data.rwlease: Input/output error");
  EXPECT_EQ(error.operation(), "listing");
  EXPECT_EQ(error.path(), "/scratch/data.rwlease");
  EXPECT_EQ(error.cause(), "Input/output error");
  EXPECT_STREQ(Error("drawing a token", "", "no entropy").what(), "drawing a token: no entropy");
}

TEST(ErrorTest, NamesTheRemedyWhereOneIsKnown) {
  for (const auto& [error, remedy] : {std::pair(EDQUOT, "quota"),
                                      {ENOSPC, "space"},
                                      {EACCES, "read and change"},
                                      {EPERM, "read and change"},
                                      {EROFS, "mount"},
                                      {ENAMETOOLONG, "shorter"},
                                      {EMFILE, "limit"},
                                      {ENFILE, "limit"}}) {
    try {
      protocol::fail("doing", "/x", fs::Result(error));
    } catch (const Error& thrown) {
      EXPECT_NE(thrown.cause().find(remedy), std::string::npos) << thrown.what();
      EXPECT_EQ(thrown.code().value(), error);
    }
  }
}

TEST(ErrorTest, AMissingDirectoryIsAKindOfItsOwn) {
  for (const int error : {ENOENT, ESTALE})
    EXPECT_THROW(protocol::fail("doing", "/x", fs::Result(error)), protocol::DirectoryGone);
  EXPECT_THROW(protocol::fail("doing", "/x", fs::Result(EIO)), Error);
}

TEST(LogTest, TheHookGetsEachLineAndItsTroubleIsItsOwn) {
  std::vector<std::string> lines;
  set_log_hook([&](LogLevel level, std::string_view line) {
    lines.push_back(std::string(to_string(level)) + ": " + std::string(line));
    throw std::runtime_error("the hook's own");
  });
  EXPECT_TRUE(log_wanted());
  log_line(LogLevel::info, "one");
  log_line(LogLevel::warning, "two");
  set_log_hook({});
  EXPECT_FALSE(log_wanted());
  log_line(LogLevel::info, "three");
  EXPECT_EQ(lines, (std::vector<std::string>{"info: one", "warning: two"}));
}

// Everything that says something, all in one world; its end looks for tokens in what was said.
class TokensTest : public WorldTest {};

TEST_F(TokensTest, NeverGetIntoTheLog) {
  Actor& holder = world_.join();
  Actor& waiter = world_.join();
  const auto dead = holder.write();
  const auto next = world_.wait_for(*waiter.writer(), 100s);
  ASSERT_TRUE(next) << "it evicts";
  waiter.release(*next);
  const auto reading = holder.read();
  holder.client.before = [](const Call&) { return Verdict{Verdict::refused, EACCES}; };
  holder.release(reading);
  auto attempt = waiter.writer();
  EXPECT_EQ(attempt->step(), protocol::Progress::wait);
  waiter.clock.advance(100s);
  waiter.client.before = [](const Call& call) {
    return call.operation == "remove" ? Verdict{Verdict::refused, EACCES} : Verdict();
  };
  attempt->step();
  attempt.reset();
  world_.plant("readers/odd.1.2." + world_.tokens.draw(), fs::Type::directory);
  EXPECT_GE(world_.log.size(), 4U);
}

}  // namespace
}  // namespace rwlease::test
