#include "checksum.hpp"

#include <cstring>

namespace demo {

// The rotation makes the order of the words count.
void Checksum::add_word(std::uint64_t word) {
  state_ = (((state_ << 23U) | (state_ >> 41U)) ^ word) * 0x9e3779b97f4a7c15U;
}

void Checksum::add(const std::byte* bytes, std::size_t size) {
  std::uint64_t word = 0;
  const std::size_t tail = size % sizeof word;
  const std::byte* const end = bytes + (size - tail);
  for (; bytes != end; bytes += sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    add_word(word);
  }
  if (tail == 0) return;
  word = 0;
  std::memcpy(&word, bytes, tail);
  add_word(word);
}

}  // namespace demo
