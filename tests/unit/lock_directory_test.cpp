// Making, checking and healing the lock directory.
#include "protocol/lock_directory.hpp"

#include "support/world.hpp"

namespace rwlease::test {
namespace {

using protocol::Access;

constexpr gid_t staff = 300;

class LockDirectoryTest : public WorldTest {
 protected:
  void open(Actor& actor, const Access& access) {
    protocol::open_lock_directory(actor.file_system, actor.host, lock_path, access);
  }
  void open(const Access& access = {}) { open(owner_, access); }

  // Why it was refused; empty when it was not.
  std::string refusal(Actor& actor, const Access& access = {}) {
    try {
      open(actor, access);
      return "";
    } catch (const UnsafeDirectory& refused) {
      EXPECT_EQ(refused.path().substr(0, std::string(lock_path).size()), lock_path);
      return refused.cause();
    }
  }
  std::string refusal(const Access& access = {}) { return refusal(owner_, access); }

  // An entry in the lock directory's place.
  NodePtr plant(fs::Type type, mode_t mode) {
    Node wanted;
    wanted.type = type;
    wanted.mode = mode;
    const NodePtr& root = world_.tree.root();
    EXPECT_TRUE(world_.tree.create(owner_.client.caller(), root, "scratch/data.rwlease", wanted).ok());
    return world_.node();
  }
  mode_t mode(const std::string& name = "") { return world_.node(name)->mode; }

  const Access shared_{true, std::nullopt};
  const Access shared_by_staff_{true, staff};
  Actor& owner_ = world_.join(Caller{1000, 100, {staff}});
  Actor& colleague_ = world_.join(Caller{1001, 100, {staff}});
  Actor& stranger_ = world_.join(Caller{1002, 200, {}});
};

TEST_F(LockDirectoryTest, IsMadeForItsOwnerAlone) {
  open();
  EXPECT_EQ(mode(), 0700U);
  EXPECT_EQ(mode("readers"), 0700U);
}

TEST_F(LockDirectoryTest, IsMadeForTheGroupWhenAsked) {
  open(shared_by_staff_);
  for (const char* name : {"", "readers"}) {
    EXPECT_EQ(mode(name), 02770U);
    EXPECT_EQ(world_.node(name)->gid, staff);
  }
  EXPECT_EQ(refusal(colleague_, shared_by_staff_), "");
}

TEST_F(LockDirectoryTest, ASecondOpeningChangesNothing) {
  open();
  owner_.take_calls();
  open();
  for (const std::string& call : owner_.take_calls()) {
    EXPECT_TRUE(call.compare(0, 4, "open") == 0 || call.compare(0, 4, "look") == 0) << call;
  }
}

TEST_F(LockDirectoryTest, ASymlinkIsRefused) {
  plant(fs::Type::symlink, 0777);
  EXPECT_NE(refusal().find("symlink"), std::string::npos);
}

TEST_F(LockDirectoryTest, WhatIsNoDirectoryIsRefused) {
  plant(fs::Type::file, 0700);
  EXPECT_NE(refusal(), "");
}

TEST_F(LockDirectoryTest, SomebodyElsesIsRefused) {
  plant(fs::Type::directory, 0755)->uid = 1001;
  EXPECT_NE(refusal().find("belongs to user 1001"), std::string::npos);
}

TEST_F(LockDirectoryTest, SomebodyElsesThatIsClosedIsRefused) {
  open();
  EXPECT_NE(refusal(stranger_).find("closed"), std::string::npos);
}

TEST_F(LockDirectoryTest, OneThatOthersMayWriteToIsRefused) {
  const NodePtr node = plant(fs::Type::directory, 0700);
  for (const mode_t open_to : {0720U, 0702U, 0770U, 0777U, 0701U, 0704U}) {
    node->mode = open_to;
    EXPECT_NE(refusal().find("chmod"), std::string::npos) << std::oct << open_to;
  }
}

TEST_F(LockDirectoryTest, SharedItMayNotBeOpenToOthers) {
  open(shared_by_staff_);
  world_.node()->mode = 02775;
  EXPECT_NE(refusal(colleague_, shared_by_staff_).find("chmod"), std::string::npos);
}

TEST_F(LockDirectoryTest, SharedItMustBelongToTheGroup) {
  open(shared_);
  EXPECT_NE(refusal(colleague_, shared_by_staff_).find("belongs to group 100, not to group 300"), std::string::npos);
}

TEST_F(LockDirectoryTest, SharedItMustLetTheGroupIn) {
  open();
  EXPECT_NE(refusal(shared_).find("keeps the group out"), std::string::npos);
}

TEST_F(LockDirectoryTest, ASharedOneIsRefusedWithoutSharing) {
  open(shared_);
  EXPECT_NE(refusal().find("use group sharing"), std::string::npos);
}

TEST_F(LockDirectoryTest, ReadersInTheWayOfTheDirectoryIsRefused) {
  plant(fs::Type::directory, 0700);
  for (const fs::Type type : {fs::Type::symlink, fs::Type::file, fs::Type::other}) {
    world_.plant("readers", type);
    EXPECT_NE(refusal().find("not a directory"), std::string::npos);
    world_.unplant("readers");
  }
}

TEST_F(LockDirectoryTest, ACreatorThatDiedHalfWayIsCompleted) {
  plant(fs::Type::directory, 0700);
  open();
  EXPECT_EQ(mode("readers"), 0700U);
}

TEST_F(LockDirectoryTest, OneThatAnOddUmaskClosedToItsOwnerIsOpenedUp) {
  for (const mode_t closed : {0000U, 0400U, 0500U, 0600U}) {
    open();
    world_.node("readers")->mode = closed;
    world_.node()->mode = closed;
    open();
    EXPECT_EQ(mode(), 0700U) << std::oct << closed;
    EXPECT_EQ(mode("readers"), 0700U) << std::oct << closed;
  }
}

TEST_F(LockDirectoryTest, ASharedOneWhoseCreatorDiedBeforeItOpenedItIsCompleted) {
  plant(fs::Type::directory, 0700);
  EXPECT_EQ(refusal(shared_by_staff_), "");
  EXPECT_EQ(refusal(colleague_, shared_by_staff_), "");
}

TEST_F(LockDirectoryTest, ASharedOneWhoseCreatorDiedBeforeItOpenedReadersIsCompleted) {
  open(shared_by_staff_);
  world_.node("readers")->mode = 0700;
  EXPECT_EQ(refusal(shared_by_staff_), "");
  EXPECT_EQ(mode("readers"), 02770U);
}

// The creation fails at each call in turn; whatever is left, the next opening heals.
TEST_F(LockDirectoryTest, ACreationThatFailsAnywhereIsHealed) {
  for (const Access& access : {Access{}, shared_by_staff_}) {
    for (int nth = 1; nth <= 12; ++nth) {
      for (const auto fate : {Verdict::refused, Verdict::reply_lost}) {
        owner_.client.nth_call(nth, {fate, EIO});
        try {
          open(access);
        } catch (const Error& error) {
          EXPECT_FALSE(error.path().empty());
        }
        owner_.client.before = nullptr;
        EXPECT_NO_THROW(open(access)) << nth;
        EXPECT_NO_THROW(open(access)) << nth;
        world_.remove_lock_directory();
      }
    }
  }
}

TEST_F(LockDirectoryTest, AMissingParentIsSaid) {
  try {
    protocol::open_lock_directory(owner_.file_system, owner_.host, "/nowhere/data.rwlease", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.cause().find("its parent directory must exist"), std::string::npos);
    EXPECT_EQ(error.code().value(), ENOENT);
  }
}

TEST_F(LockDirectoryTest, AParentThatMayNotBeWrittenToIsSaid) {
  NodePtr scratch;
  ASSERT_TRUE(world_.tree.find(Caller{0, 0, {}}, world_.tree.root(), "scratch", scratch).ok());
  scratch->mode = 0755;
  try {
    open();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code().value(), EACCES);
  }
}

TEST_F(LockDirectoryTest, NeighboursOfAnotherProgramAreFound) {
  Node wanted;
  for (const char* name : {"scratch/data.rw", "scratch/data.write", "scratch/data.other"}) {
    ASSERT_TRUE(world_.tree.create(owner_.client.caller(), world_.tree.root(), name, wanted).ok());
  }
  EXPECT_EQ(protocol::find_neighbours(owner_.file_system, "/scratch/data"),
            (std::vector<std::string>{"/scratch/data.rw", "/scratch/data.write"}));
  EXPECT_TRUE(protocol::find_neighbours(owner_.file_system, "/nowhere/data").empty());
}

}  // namespace
}  // namespace rwlease::test
