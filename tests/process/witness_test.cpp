// Looking at another holder's marker, by its name.
#include "support/scratch.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/witness.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace rwlease::test {
namespace {

using Sight = Witness::Sight;

class Witnessing : public testing::TestWithParam<Mode> {
 protected:
  Scratch scratch_;
  Lock lock_{scratch_ / "x"};
};

TEST_P(Witnessing, SeesTheMarkerUntilItIsReleased) {
  Lease lease = lock_.acquire(GetParam());
  const std::string marker = lease.marker();
  const Witness witness(lock_.directory());
  EXPECT_EQ(witness.look(marker), Sight::stands);
  lease.release();
  EXPECT_EQ(lease.marker(), "");
  EXPECT_EQ(witness.look(marker), Sight::gone);
}

TEST_P(Witnessing, SeesThatItWasRemovedWithItsDirectory) {
  const Lease lease = lock_.acquire(GetParam());
  const Witness witness(lock_.directory());
  std::filesystem::remove_all(lock_.directory());
  EXPECT_EQ(witness.look(lease.marker()), Sight::gone);
}

TEST_P(Witnessing, AnotherLeasesMarkerIsNotTheOneLookedFor) {
  Lease lease = lock_.acquire(GetParam());
  const std::string marker = lease.marker();
  lease.release();
  const Lease next = lock_.acquire(GetParam());
  const Witness witness(lock_.directory());
  EXPECT_EQ(witness.look(marker), Sight::gone);
  EXPECT_EQ(witness.look(next.marker()), Sight::stands);
}

INSTANTIATE_TEST_SUITE_P(Modes, Witnessing, testing::Values(Mode::read, Mode::write),
                         [](const auto& mode) { return std::string(to_string(mode.param)); });

TEST(Witness, FollowsNoSymlink) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "elsewhere");
  std::filesystem::create_directory_symlink(scratch / "elsewhere", scratch / "x.rwlease");
  EXPECT_THROW(Witness(scratch / "x.rwlease"), Error);
  EXPECT_THROW(Witness(scratch / "nowhere"), Error);
}

TEST(Witness, ADowngradedLeaseHasAnotherMarker) {
  const Scratch scratch;
  Lock lock(scratch / "x");
  Lease writing = lock.acquire(Mode::write);
  const std::string before = writing.marker();
  const Lease reading = std::move(writing).downgrade();
  const Witness witness(lock.directory());
  EXPECT_EQ(witness.look(before), Sight::gone);
  EXPECT_EQ(witness.look(reading.marker()), Sight::stands);
}

}  // namespace
}  // namespace rwlease::test
