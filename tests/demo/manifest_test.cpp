#include "manifest.hpp"

#include <gtest/gtest.h>

namespace demo {
namespace {

Manifest example() { return {7, 1234, {{{0, 4 * block_size}, 11}, {{4 * block_size, block_size + 8}, 22}}}; }

TEST(Manifest, SurvivesTheTripThroughText) {
  const std::optional<Manifest> back = parse_manifest(to_text(example()));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->version, 7U);
  EXPECT_EQ(back->fence, 1234U);
  ASSERT_EQ(back->parts.size(), 2U);
  EXPECT_EQ(back->parts[1].range.offset, 4 * block_size);
  EXPECT_EQ(back->parts[1].checksum, 22U);
  EXPECT_EQ(back->size(), 5 * block_size + 8);
}

TEST(Manifest, IsNoManifestWhenCutShortAnywhere) {
  const std::string text = to_text(example());
  const std::size_t without_last_line_end = text.size() - 1;
  for (std::size_t length = 0; length < without_last_line_end; ++length) {
    EXPECT_FALSE(parse_manifest(text.substr(0, length))) << "cut after " << length << " bytes";
  }
}

TEST(PartRange, PartsJoinWithoutGapAndCoverTheData) {
  for (const unsigned parts : {1U, 3U, 4U, 7U}) {
    std::uint64_t end = 0;
    for (unsigned index = 0; index < parts; ++index) {
      const Range range = part_range(10 * block_size + 24, index, parts);
      EXPECT_EQ(range.offset, end);
      EXPECT_EQ(range.offset % block_size, 0U);
      end = range.offset + range.size;
    }
    EXPECT_EQ(end, 10 * block_size + 24);
  }
}

}  // namespace
}  // namespace demo
