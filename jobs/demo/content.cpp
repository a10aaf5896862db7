#include "content.hpp"

#include <algorithm>
#include <cstring>

namespace demo {
namespace {

std::uint64_t word_at(std::uint64_t version, std::uint64_t position) {
  std::uint64_t word = (version << 40U) ^ position;
  word *= 0xd6e8feb86659fd93U;
  word ^= word >> 32U;
  return word * 0xd6e8feb86659fd93U;
}

}  // namespace

void make_block(Block& block, std::uint64_t version, std::uint64_t offset, std::size_t size) {
  block.resize(size);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = word_at(version, offset + at);
    std::memcpy(block.data() + at, &word, sizeof word);
  }
}

std::size_t next_block(std::uint64_t left) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(left, block_size));
}

Range part_range(std::uint64_t size, unsigned index, unsigned parts) {
  const std::uint64_t each = size / parts / block_size * block_size;
  const std::uint64_t offset = each * index;
  const bool last = index + 1 == parts;
  return {offset, last ? size - offset : each};
}

}  // namespace demo
