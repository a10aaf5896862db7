// The lock as a directory.
#pragma once

#include "softlock/claim.hpp"

#include <vector>

namespace rwlease::softlock {

// 1. mkdir of the lock's name: exclusive against everybody, also against programs that know nothing but mkdir
// 2. in that directory, by its handle, make the owner's file, under a name that is never used twice
// 3. list it: nothing else in it, and no more than the step limit has passed since 1: the lock is ours
//
// Removal goes the other way: the owner's file first. It can only hit that owner, however late it comes, and who has
// removed it, and nobody else, removes the directory; a directory with another owner's file in it stays.
//
// A directory renamed into place with the file in it would come in one step, but rename replaces an empty directory
// without a word, and that may be the lock of a program that knows nothing but mkdir. So others see an empty directory
// between 1 and 2; it has the sticky bit, by which they know that it will be finished within the limit or never.
class DirectoryClaim final : public Claim {
 public:
  using Claim::Claim;

  Sighting sight() override;
  Removal clear(const Sighting& seen) override;
  bool mine() override;
  Beat beat() override;
  bool give_back() override;
  bool adopt() override;

 private:
  bool make() override;
  bool furnish(const fs::Instant& sent);
  bool alone(fs::Directory& opened) const;
  fs::Result remove_owner(const std::string& path);
  std::vector<fs::Entry> entries();
  bool is_owner(const std::string& path) const;
};

}  // namespace rwlease::softlock
