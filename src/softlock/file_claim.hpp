// What the two primitives whose lock is a file have in common.
#pragma once

#include "softlock/claim.hpp"

namespace rwlease::softlock {

// The lock's name is known to all and means one file after another. So the file is recognised by its inode and stamp
// as long as these stay what they were when its token was read, and by its token otherwise.
class FileClaim : public Claim {
 public:
  using Claim::Claim;

  Sighting sight() override { return inspector_.look(scene_.name); }
  Removal clear(const Sighting& seen) override { return remover_.remove(seen); }
  bool mine() override;
  Beat beat() override;
  bool give_back() override;
  bool adopt() override;

 protected:
  // What the name means is ours, seen so.
  void recognise(const fs::Attributes& seen) { own_ = seen.stamp; }
  bool holds_own_token();

 private:
  bool remove_in_force();

  fs::Stamp own_;
};

}  // namespace rwlease::softlock
