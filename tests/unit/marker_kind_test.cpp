// Symlinks where they work, files where they do not, and both side by side.
#include "protocol/lock_directory.hpp"

#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::MarkerKind;
using protocol::Progress;
using Calls = std::vector<std::string>;

class MarkerKindTest : public WorldTest {
 protected:
  // With this fate for one kind of call.
  MarkerKind probe(const std::string& operation = "", Verdict verdict = {}) {
    const auto site = actor_.site();
    actor_.client.before = [=](const Call& call) { return call.operation == operation ? verdict : Verdict(); };
    const MarkerKind kind = protocol::probe_marker_kind(site);
    actor_.client.before = nullptr;
    EXPECT_TRUE(world_.leftovers().empty());
    return kind;
  }

  Actor& actor_ = world_.join();
  Actor& other_ = world_.join();
};

TEST_F(MarkerKindTest, SymlinksWhereTheyWork) { EXPECT_EQ(probe(), MarkerKind::symlink); }

TEST_F(MarkerKindTest, FilesWhereSymlinksAreRefused) {
  for (const int error : {EPERM, EOPNOTSUPP, EINVAL, ENAMETOOLONG}) {
    EXPECT_EQ(probe("symlink", {Verdict::refused, error}), MarkerKind::file) << error;
  }
}

TEST_F(MarkerKindTest, FilesWhereTheirTimesDoNotMove) {
  EXPECT_EQ(probe("settime", {Verdict::refused, EOPNOTSUPP}), MarkerKind::file);
  EXPECT_EQ(probe("settime", {Verdict::ignored, 0}), MarkerKind::file) << "said to be done, but not";
}

TEST_F(MarkerKindTest, AProbeThatCannotEvenBeTriedSaysSoAndLeavesNothing) {
  for (const auto fate : {Verdict::refused, Verdict::reply_lost}) {
    EXPECT_THROW(probe("symlink", {fate, EIO}), Error);
    actor_.client.before = nullptr;
    EXPECT_TRUE(world_.leftovers().empty());
  }
}

TEST_F(MarkerKindTest, AFileMarkerIsFinishedBeforeItIsPublished) {
  actor_.kind = MarkerKind::file;
  const auto grant = actor_.read();
  EXPECT_EQ(actor_.take_calls(), (Calls{"file .#1", "rename .#1 readers/#1", "list"}));
  const NodePtr node = world_.node(grant.marker.path());
  EXPECT_EQ(node->mode, 0600U);
  EXPECT_EQ(node->content.back(), '\n');
  EXPECT_TRUE(protocol::Record::parse(node->content));
  EXPECT_TRUE(actor_.release(grant));
}

TEST_F(MarkerKindTest, AFileMarkerOfAGroupIsForTheGroup) {
  actor_.kind = MarkerKind::file;
  actor_.access = {true, std::nullopt};
  EXPECT_EQ(world_.node(actor_.read().marker.path())->mode, 0660U);
}

// It may not be written. Under its own name it cannot be made again: a removal that is carried out late would hit it.
TEST_F(MarkerKindTest, AFileMarkerWhoseReplyWasLostIsMadeAnewUnderAnotherName) {
  actor_.kind = MarkerKind::file;
  auto attempt = actor_.reader();
  actor_.client.before = [&, n = 0](const Call&) mutable {
    ++n;
    if (n == 1) return Verdict{Verdict::reply_lost, EEXIST};
    return n == 2 ? Verdict{Verdict::late, EIO} : Verdict();
  };
  EXPECT_THROW(attempt->step(), Error);
  actor_.client.before = nullptr;
  EXPECT_EQ(attempt->step(), Progress::held);
  const auto grant = attempt->take();
  actor_.client.carry_out_late();
  EXPECT_TRUE(protocol::Record::parse(world_.node(grant.marker.path())->content));
}

TEST_F(MarkerKindTest, AWholeTurnWithFiles) {
  actor_.kind = MarkerKind::file;
  auto grant = actor_.write();
  world_.advance(30s);
  EXPECT_EQ(grant.marker.beat(actor_.site()), protocol::Beat::counted);
  EXPECT_TRUE(actor_.release(grant));
  EXPECT_TRUE(world_.leftovers().empty());
  EXPECT_GT(actor_.write().fence, grant.fence);
}

TEST_F(MarkerKindTest, BothKindsExcludeEachOther) {
  other_.kind = MarkerKind::file;
  auto reading = other_.read();
  auto attempt = actor_.writer();
  EXPECT_EQ(attempt->step(), Progress::wait);
  other_.release(reading);
  EXPECT_EQ(attempt->step(), Progress::held);
  const auto writing = attempt->take();
  auto waiting = other_.reader();
  EXPECT_EQ(waiting->step(), Progress::wait);
  actor_.release(writing);
  EXPECT_EQ(waiting->step(), Progress::held);
}

TEST_F(MarkerKindTest, AFilesRecordProvesADeathToo) {
  Actor& neighbour = world_.join_beside(other_);
  other_.kind = MarkerKind::file;
  const auto dead = other_.read();
  other_.host.die();
  EXPECT_EQ(neighbour.writer()->step(), Progress::held);
}

}  // namespace
}  // namespace rwlease::test
