// Taking a lease on one thread for another.
#pragma once

#include <rwlease/export.hpp>

#include <cstdint>

namespace rwlease {

// Names the calling thread among all that this process ever has.
RWLEASE_EXPORT std::uint64_t thread_number() noexcept;

// While it lives the calling thread counts as the thread with that number wherever a rule of the lock goes by threads:
// what it acquires belongs to that one, nests in what that one holds, and is refused where that one would be. For a
// helper that waits in another's place while the other goes on.
//
// On the stack of the helper; they may be nested.
class RWLEASE_EXPORT OnBehalfOf {
 public:
  explicit OnBehalfOf(std::uint64_t thread) noexcept;
  ~OnBehalfOf();
  OnBehalfOf(const OnBehalfOf&) = delete;
  OnBehalfOf& operator=(const OnBehalfOf&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace rwlease
