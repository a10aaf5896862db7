// Writers go first; nobody starves. All about order, not speed.
#include "process/support/judge.hpp"
#include "process/support/participant.hpp"
#include "process/support/terms.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <list>

namespace rwlease::test {
namespace {

void stop_rounds(Participant& one, std::vector<Hold>& holds) {
  one.signal(SIGUSR1);
  EXPECT_EQ(one.await_reply().kind, "done");
  while (auto line = one.hear("hold", std::chrono::milliseconds(0))) {
    holds.push_back(parse_hold(line->text, std::to_string(one.pid())));
  }
}

TEST(Preference, LateReadersNeverEnterBeforeAWaitingWriter) {
  const Scratch scratch;
  std::list<Participant> readers;
  for (int i = 0; i < 5; ++i) {
    readers.emplace_back(scratch / "x", long_lease);
    readers.back().send("rounds read " + std::to_string(10'000 + 3'000 * i));
  }
  // The stream flows.
  for (Participant& reader : readers) reader.await("hold");
  Participant writer(scratch / "x", long_lease + Words{"tell=claimed"});
  std::vector<std::pair<std::chrono::nanoseconds, std::chrono::nanoseconds>> waits;
  for (int i = 0; i < 8; ++i) {
    writer.send("acquire write");
    const auto claimed = writer.await("point").at;
    waits.emplace_back(claimed, writer.await("done").at);
    writer.ask("release");
  }
  std::vector<Hold> holds;
  for (Participant& reader : readers) stop_rounds(reader, holds);
  for (const auto& [claimed, entered] : waits) {
    for (const Hold& hold : holds) {
      const bool overtook = hold.asked > claimed && hold.entered < entered;
      EXPECT_FALSE(overtook) << "a reader asked after the claim and entered before the writer";
    }
  }
}

TEST(Preference, WriterEntersAlthoughReadersKeepComing) {
  const Scratch scratch;
  Participant first(scratch / "x", long_lease);
  Participant second(scratch / "x", long_lease);
  Participant writer(scratch / "x", long_lease + Words{"tell=claimed"});
  first.ask("acquire read");
  writer.send("acquire write");
  writer.await("point");
  EXPECT_EQ(second.ask("try read"), "busy");
  EXPECT_FALSE(writer.hear("done", std::chrono::milliseconds(0)));
  EXPECT_EQ(first.ask("verify"), "yes") << "the reader that was there stays";
  first.ask("release");
  writer.await("done");
  EXPECT_EQ(second.ask("try read"), "busy");
}

TEST(Preference, WriterThatComesBackAtOnceLetsAWaitingReaderIn) {
  const Scratch scratch;
  Participant writer(scratch / "x", long_lease);
  Participant reader(scratch / "x", long_lease);
  writer.send("rounds write 1000");
  writer.await("hold");
  for (int i = 0; i < 5; ++i) {
    reader.ask("acquire read");
    reader.ask("release");
  }
  std::vector<Hold> holds;
  stop_rounds(writer, holds);
}

TEST(Preference, WriterThatComesBackAtOnceLetsAWaitingWriterIn) {
  const Scratch scratch;
  Participant busy(scratch / "x", long_lease);
  Participant waiting(scratch / "x", long_lease);
  busy.send("rounds write 1000");
  busy.await("hold");
  for (int i = 0; i < 5; ++i) {
    waiting.ask("acquire write");
    waiting.ask("release");
  }
  std::vector<Hold> holds;
  stop_rounds(busy, holds);
}

TEST(Preference, AllWaitingReadersEnterTogether) {
  const Scratch scratch;
  Participant writer(scratch / "x", long_lease);
  writer.ask("acquire write");
  std::list<Participant> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back(scratch / "x", long_lease + Words{"tell=reader-withdrawn"});
    readers.back().send("acquire read");
    readers.back().await("point");
  }
  writer.ask("release");
  for (Participant& reader : readers) reader.await("done");
  for (Participant& reader : readers) EXPECT_EQ(reader.ask("verify"), "yes");
}

}  // namespace
}  // namespace rwlease::test
