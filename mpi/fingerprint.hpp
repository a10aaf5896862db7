// 64-bit fingerprints of the arguments that all ranks must give alike.
#pragma once

#include <rwlease/mpi.hpp>
#include <rwlease/options.hpp>

#include <cstdint>
#include <string_view>

namespace rwlease::mpi::detail {

// FNV-1a with a final mix. It guards against mistakes, not against attacks.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view text) noexcept;  // with its length, so that "ab" "c" is not "a" "bc"
  Fingerprint& add(std::int64_t number) noexcept;
  std::uint64_t value() const noexcept;

 private:
  void add_byte(unsigned char byte) noexcept;

  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::uint64_t fingerprint(std::string_view text) noexcept;

// All options but those that the lock sets by itself or ignores: sole, process_group, ranks.
std::uint64_t fingerprint(const Options& options) noexcept;

std::uint64_t fingerprint(const Policy& policy) noexcept;

}  // namespace rwlease::mpi::detail
