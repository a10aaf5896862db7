#include "data_set.hpp"

#include "file.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace demo {
namespace {

constexpr std::uint64_t size = 8 * block_size;
constexpr unsigned parts = 4;

class DataSetTest : public testing::Test {
 protected:
  void write_version(std::uint64_t fence) { rewrite(set_, fence, size, parts); }

  // Puts one block of another version into the data, as a writer that nobody kept out.
  void intrude(std::uint64_t version, std::uint64_t offset) {
    Block block;
    make_block(block, version, offset, block_size);
    File::create(set_.data()).write(block.data(), block.size(), offset);
  }

  std::string violation() {
    try {
      check(set_);
    } catch (const Violation& seen) {
      return seen.what();
    }
    return "none";
  }

  const rwlease::test::Scratch scratch_;
  const DataSet set_{scratch_.directory()};
};

TEST_F(DataSetTest, NothingWrittenIsVersionZero) { EXPECT_EQ(check(set_).version, 0U); }

TEST_F(DataSetTest, EachRewriteIsTheNextWholeVersion) {
  write_version(5);
  EXPECT_EQ(check(set_).version, 1U);
  write_version(9);
  EXPECT_EQ(check(set_).version, 2U);
  EXPECT_EQ(check(set_).fence, 9U);
}

TEST_F(DataSetTest, SeesOneBlockOfTheNextVersionInEachPart) {
  for (unsigned part = 0; part < parts; ++part) {
    write_version(part + 1);
    intrude(part + 2, part_range(size, part, parts).offset + block_size);
    EXPECT_EQ(violation(),
              "part " + std::to_string(part) + " of the data is not that of version " + std::to_string(part + 1));
  }
}

TEST_F(DataSetTest, SeesOneByteChanged) {
  write_version(1);
  const std::byte changed{0x5a};
  std::byte before{};
  ASSERT_EQ(File::open_if_exists(set_.data())->read(&before, 1, size - 1), 1U);
  ASSERT_NE(before, changed);
  File::create(set_.data()).write(&changed, 1, size - 1);
  EXPECT_EQ(violation(), "part 3 of the data is not that of version 1");
}

TEST_F(DataSetTest, SeesDataWithoutManifest) {
  write_version(1);
  std::filesystem::remove(set_.manifest());
  EXPECT_EQ(violation(), "there is data without a manifest");
}

TEST_F(DataSetTest, SeesManifestWithoutData) {
  write_version(1);
  std::filesystem::remove(set_.data());
  EXPECT_EQ(violation(), "there is a manifest without data");
}

TEST_F(DataSetTest, SeesDataOfAnotherSize) {
  write_version(1);
  File::create(set_.data()).truncate(size - 8);
  EXPECT_EQ(violation(), "the data has not the size of version 1");
}

TEST_F(DataSetTest, RefusesToWriteUnlessTheFenceIsNewer) {
  write_version(5);
  EXPECT_THROW(write_version(5), Violation);
  EXPECT_THROW(write_version(4), Violation);
  EXPECT_EQ(check(set_).version, 1U);
}

TEST_F(DataSetTest, AWriterSeesThatAnotherPublishedMeanwhile) {
  const Manifest base = begin_version(set_, 1);
  write_version(2);
  EXPECT_THROW(confirm_base(set_, base), Violation);
}

// The real thing: a writer that holds no lease goes on rewriting until the checker has caught it.
TEST_F(DataSetTest, SeesAWriterThatNobodyKeepsOut) {
  write_version(1);
  std::atomic<bool> caught{false};
  std::thread writer([&] {
    for (std::uint64_t fence = 2; !caught; ++fence) write_version(fence);
  });
  while (violation() == "none") {
  }
  caught = true;
  writer.join();
}

}  // namespace
}  // namespace demo
