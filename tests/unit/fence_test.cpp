// Fencing numbers grow with every write lease.
#include "support/world.hpp"

#include "protocol/fence.hpp"

namespace rwlease::test {
namespace {

class FenceTest : public WorldTest {
 protected:
  std::uint64_t draw() {
    auto grant = writer_.write();
    writer_.release(grant);
    return grant.fence;
  }
  std::vector<std::string> fences() {
    std::vector<std::string> fences;
    for (const auto& [name, node] : world_.node("readers")->entries) {
      if (protocol::fence_number(name)) fences.push_back(name);
    }
    return fences;
  }
  void plant(std::uint64_t number) {
    writer_.site();
    world_.plant(protocol::fence_path(number), fs::Type::symlink, "fence");
  }

  Actor& writer_ = world_.join();
};

TEST_F(FenceTest, GrowsAndKeepsOnlyTheNewest) {
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t next = draw();
    EXPECT_GT(next, last);
    EXPECT_EQ(fences(), std::vector<std::string>{".f." + std::to_string(next)});
    last = next;
  }
}

TEST_F(FenceTest, GrowsWhileTheServersClockGoesBack) {
  const std::uint64_t before = draw();
  world_.server.advance_real(-48h);
  EXPECT_EQ(draw(), before + 1);
}

TEST_F(FenceTest, GrowsWhenTheLockDirectoryWasRemovedAndMadeAnew) {
  const std::uint64_t before = draw();
  world_.remove_lock_directory();
  writer_.directory.reset();
  world_.advance(1ms);
  EXPECT_GT(draw(), before);
}

TEST_F(FenceTest, WithoutTheServersTimeThereIsNone) {
  const std::uint64_t before = draw();
  world_.remove_lock_directory();
  writer_.directory.reset();
  world_.advance(1ms);
  auto attempt = writer_.writer();
  writer_.client.before = [](const Call& call) {
    return call.operation == "glance" ? Verdict{Verdict::refused, ETIMEDOUT} : Verdict();
  };
  EXPECT_THROW(attempt->step(), Error);
  EXPECT_TRUE(world_.leftovers().empty());
  writer_.client.before = nullptr;
  ASSERT_EQ(attempt->step(), protocol::Progress::held);
  EXPECT_GT(attempt->take().fence, before);
}

TEST_F(FenceTest, SeveralOldOnesAreClearedAway) {
  for (const std::uint64_t number : {3U, 5U, 4U}) plant(number);
  const std::uint64_t next = draw();
  EXPECT_GT(next, 5U);
  EXPECT_EQ(fences(), std::vector<std::string>{".f." + std::to_string(next)});
}

TEST_F(FenceTest, ALateStepOfAWriterThatIsOverIsPassedBy) {
  const std::uint64_t before = draw();
  auto attempt = writer_.writer();
  bool done = false;
  writer_.client.before = [&](const Call& call) {
    if (call.operation == "rename" && call.to.find(".f.") != std::string::npos && !std::exchange(done, true)) {
      world_.move(protocol::fence_path(before), protocol::fence_path(before + 1'000'000'000));
    }
    return Verdict();
  };
  EXPECT_EQ(attempt->step(), protocol::Progress::held);
  EXPECT_GT(attempt->take().fence, before + 1'000'000'000);
}

TEST_F(FenceTest, ALateCreationByAWriterThatIsOverIsPassedBy) {
  auto attempt = writer_.writer();
  bool done = false;
  std::uint64_t taken = 0;
  writer_.client.before = [&](const Call& call) {
    if (call.operation == "symlink" && call.name.find(".f.") != std::string::npos && !std::exchange(done, true)) {
      taken = *protocol::fence_number(call.name.substr(8));
      world_.plant(call.name, fs::Type::symlink, "fence");
    }
    return Verdict();
  };
  EXPECT_EQ(attempt->step(), protocol::Progress::held);
  EXPECT_GT(attempt->take().fence, taken);
}

// A listing of several replies can miss an entry that is renamed meanwhile, under both names.
TEST_F(FenceTest, GrowsWhenTheListingMissesAFenceThatALateStepMoves) {
  auto first = writer_.write();
  Actor& waiting = world_.join();
  auto attempt = waiting.writer();
  EXPECT_EQ(attempt->step(), protocol::Progress::wait);  // its marker is made now
  writer_.release(first);
  world_.advance(1s);
  const std::uint64_t before = draw();
  world_.advance(1ms);
  waiting.client.before = [&](const Call& call) {
    if (call.text() == "list readers") world_.unplant(protocol::fence_path(before));
    return Verdict();
  };
  waiting.client.after = [&](const Call& call) {
    if (call.text() == "list readers") plant(before + 1);
  };
  EXPECT_EQ(attempt->step(), protocol::Progress::held);
  EXPECT_GT(attempt->take().fence, before);
}

TEST_F(FenceTest, AbsurdNumbersAreToldWithTheRemedy) {
  for (const std::uint64_t absurd : {std::uint64_t{1} << 62U, ~std::uint64_t{0}, ~std::uint64_t{0} - 1}) {
    plant(absurd);
    try {
      draw();
      FAIL() << "entered with a number that cannot grow";
    } catch (const Error& error) {
      EXPECT_NE(error.cause().find("remove"), std::string::npos) << error.what();
      EXPECT_EQ(error.code().value(), EOVERFLOW);
    }
    EXPECT_TRUE(world_.leftovers().empty());
    world_.unplant(protocol::fence_path(absurd));
  }
  EXPECT_GT(draw(), 0U);
}

TEST_F(FenceTest, AMarkerFromBeforeTheEpochDoesNoHarm) {
  world_.server.advance_real(-std::chrono::hours(24 * 365 * 80));
  EXPECT_EQ(draw(), 1U);
  EXPECT_EQ(draw(), 2U);
}

TEST_F(FenceTest, NamesThatOnlyLookLikeOneAreNotCounted) {
  EXPECT_EQ(protocol::newest_fence({{".f.7"}, {".f.x"}, {"f.9"}, {".f.08"}, {".f.6"}}), 7U);
  EXPECT_EQ(protocol::newest_fence({}), 0U);
}

}  // namespace
}  // namespace rwlease::test
