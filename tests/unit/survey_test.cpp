// Who holds a lock, told without touching it.
#include "protocol/survey.hpp"

#include "support/world.hpp"

#include <gmock/gmock.h>

namespace rwlease::test {
namespace {

using protocol::Progress;

class SurveyTest : public WorldTest {
 protected:
  Status survey(Actor& actor) {
    actor.take_calls();
    const Status status = protocol::survey(actor.file_system, actor.host, "/scratch/data", lock_path);
    for (const std::string& call : actor.take_calls()) {
      const std::string verb = call.substr(0, call.find(' '));
      EXPECT_TRUE(verb == "open" || verb == "look" || verb == "glance" || verb == "list" || verb == "readlink" ||
                  verb == "read")
          << call;
    }
    for (const Participant& participant : status.participants) EXPECT_FALSE(mentions_token(participant.name));
    return status;
  }
  Status survey() { return survey(observer_); }

  Actor& holder_ = world_.join();
  Actor& observer_ = world_.join();
};

TEST_F(SurveyTest, ALockThatNobodyUsedDoesNotExist) {
  const Status status = survey();
  EXPECT_FALSE(status.exists);
  EXPECT_EQ(status.directory, lock_path);
  EXPECT_TRUE(status.participants.empty());
}

TEST_F(SurveyTest, AReader) {
  const auto grant = holder_.read();
  const Status status = survey();
  EXPECT_TRUE(status.exists);
  EXPECT_FALSE(status.writer_stands);
  ASSERT_EQ(status.participants.size(), 1U);
  const Participant& reader = status.participants.front();
  EXPECT_EQ(reader.phase, Phase::holding);
  EXPECT_EQ(reader.mode, Mode::read);
  EXPECT_EQ(reader.host, "node1");
  EXPECT_EQ(reader.pid, holder_.host.self().pid);
  EXPECT_EQ(reader.uid, 1000U);
  EXPECT_EQ(reader.lease, 90s);
  EXPECT_TRUE(reader.readable);
  EXPECT_TRUE(reader.sole);
  EXPECT_EQ(reader.liveness, Liveness::unknown) << "it is on another host";
  EXPECT_EQ(reader.name, "readers/node1." + std::to_string(reader.pid));
}

TEST_F(SurveyTest, AWriterAndItsFence) {
  const auto grant = holder_.write();
  const Status status = survey();
  EXPECT_TRUE(status.writer_stands);
  EXPECT_EQ(status.fence, grant.fence);
  ASSERT_EQ(status.participants.size(), 1U) << "the fence is nobody";
  EXPECT_EQ(status.participants.front().mode, Mode::write);
  EXPECT_EQ(status.participants.front().phase, Phase::holding);
}

TEST_F(SurveyTest, WritersFirstAndEachInItsPhase) {
  const auto reading = holder_.read();
  auto draining = world_.join().writer();
  EXPECT_EQ(draining->step(), Progress::wait);
  auto waiting = world_.join().writer();
  EXPECT_EQ(waiting->step(), Progress::wait);
  world_.plant("readers/odd", fs::Type::file);
  const protocol::MarkerId id{"node9", 7, 90'000ms, "0123456789abcdef0123456789abcdef"};
  world_.plant("." + id.text(), fs::Type::symlink, "x");
  const Status status = survey();
  std::vector<Phase> phases;
  for (const Participant& participant : status.participants) phases.push_back(participant.phase);
  EXPECT_THAT(phases, ::testing::UnorderedElementsAre(Phase::draining, Phase::waiting, Phase::holding, Phase::foreign,
                                                      Phase::leftover));
  EXPECT_EQ(status.participants[0].mode, Mode::write);
  EXPECT_EQ(status.participants[1].mode, Mode::write);
  EXPECT_EQ(status.participants[2].mode, Mode::read);
}

TEST_F(SurveyTest, LifeAndDeathOnThisHost) {
  Actor& neighbour = world_.join_beside(holder_);
  const auto grant = holder_.read();
  EXPECT_EQ(survey(neighbour).participants.front().liveness, Liveness::alive);
  holder_.host.die();
  const Status status = survey(neighbour);
  EXPECT_EQ(status.participants.front().liveness, Liveness::dead);
  EXPECT_EQ(status.participants.front().why, "process " + std::to_string(holder_.host.self().pid) + " is gone");
}

TEST_F(SurveyTest, ARecordThatDisagreesWithItsNameIsNotTrusted) {
  const auto grant = holder_.read();
  const NodePtr node = world_.node(grant.marker.path());
  const std::string good = node->content;
  for (const std::string& bad : {std::string("junk"), "rwlease/1 token=" + std::string(32, 'a') + " pid=1",
                                 "rwlease/1 token=" + grant.marker.id().token + " pid=1 host=elsewhere"}) {
    node->content = bad;
    const Participant reader = survey().participants.front();
    EXPECT_FALSE(reader.readable) << bad;
    EXPECT_EQ(reader.host, "node1") << "from the name";
    EXPECT_EQ(reader.pid, holder_.host.self().pid);
  }
}

TEST_F(SurveyTest, WriterThatIsNoDirectory) {
  holder_.site();
  world_.plant("writer", fs::Type::file);
  const Status status = survey();
  EXPECT_TRUE(status.writer_stands);
  ASSERT_EQ(status.participants.size(), 1U);
  EXPECT_EQ(status.participants.front().phase, Phase::foreign);
  EXPECT_EQ(status.participants.front().mode, Mode::write);
}

TEST_F(SurveyTest, OddNamesAreShownWithoutHarm) {
  holder_.site();
  world_.plant("readers/\x1b[2J\n", fs::Type::other);
  EXPECT_EQ(survey().participants.front().name, "readers/?[2J?");
}

TEST_F(SurveyTest, SaysWithWhatItWouldBeRefused) {
  holder_.site();
  EXPECT_EQ(survey(holder_).refusal.cause, "");
  const NodePtr node = world_.node();
  for (const mode_t refused : {0702U, 0720U, 0755U, 02775U}) {
    node->mode = refused;
    const Refusal refusal = survey(holder_).refusal;
    EXPECT_EQ(refusal.path, lock_path);
    EXPECT_THAT(refusal.cause, ::testing::HasSubstr("lets other users in")) << std::oct << refused;
  }
  node->mode = 02770;
  EXPECT_EQ(survey(holder_).refusal.cause, "") << "with group sharing it is taken";
  for (const char* name : {"", "readers"}) world_.node(name)->mode = 0755;
  Actor& other = world_.join(Caller{4242, 4242, {}});
  EXPECT_THAT(survey(other).refusal.cause, ::testing::HasSubstr("not to user 4242"));
}

TEST_F(SurveyTest, OneThatMayNotBeReadIsAnError) {
  const auto grant = holder_.read();
  Actor& stranger = world_.join(Caller{4242, 4242, {}});
  EXPECT_THROW(survey(stranger), Error);
}

}  // namespace
}  // namespace rwlease::test
