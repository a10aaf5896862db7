// A fast checksum that tells one version of the data from another. It guards against mix-ups, not against malice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace demo {

// Feed it a stream of bytes in pieces. Every piece but the last has a multiple of eight bytes.
class Checksum {
 public:
  void add(const std::byte* bytes, std::size_t size);

  std::uint64_t value() const { return state_; }

 private:
  void add_word(std::uint64_t word);

  std::uint64_t state_ = 0x6a09e667f3bcc908U;
};

}  // namespace demo
