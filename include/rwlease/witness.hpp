// Looking at the marker of a lease that another process keeps alive.
#pragma once

#include <rwlease/export.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace rwlease {

// For processes that work under a lease without being its holder: the other ranks of a communicator, the children of a
// program. The holder tells them the lock's directory (Lock::directory()) and the marker's name (Lease::marker()).
//
// What a look can tell: the marker stood at that moment, as this host sees it, so nobody had evicted the holder, and
// nobody else held. What it cannot: whether the holder still takes the lease for valid (it may be suspended, or
// stopped), nor for how long it will stand. A renewal after a suspension gives the marker another name: the old one is
// gone then although the lease is in force again.
//
// Any thread. A forked child may go on using its parent's.
class RWLEASE_EXPORT Witness {
 public:
  enum class Sight {
    stands,
    gone,     // or renamed; or the lock directory was removed
    unknown,  // the file system did not answer
  };

  // Opens the lock directory, which may be a symlink no more than for its users. Throws Error.
  explicit Witness(const std::filesystem::path& lock_directory);
  ~Witness();
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  // One look that no cache answers. May block as long as the file system does.
  Sight look(const std::string& marker) const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwlease
