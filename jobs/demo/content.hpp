// What a data set is filled with: bytes that follow from the version and the place, so that whoever has a version's
// number can make any piece of it, and no two versions share a piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace demo {

// The data is written, read and checked in blocks of this size.
constexpr std::size_t block_size = std::size_t{1} << 20U;

using Block = std::vector<std::byte>;

// Makes the block of `size` bytes that stands at `offset` in `version`. Both are multiples of eight.
void make_block(Block& block, std::uint64_t version, std::uint64_t offset, std::size_t size);

// The size of the next block where `left` bytes are left.
std::size_t next_block(std::uint64_t left);

// A contiguous piece of the data.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The piece of a data set of `size` bytes that is the part `index` of `parts`. Pieces begin at block boundaries, so
// that hosts that write side by side never touch the same page; the last may be larger.
Range part_range(std::uint64_t size, unsigned index, unsigned parts);

}  // namespace demo
