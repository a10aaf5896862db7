// The lock as a hard link.
#pragma once

#include "softlock/file_claim.hpp"

namespace rwlease::softlock {

// 1. make a private file with the owner's record, under a name that is never used twice
// 2. link it to the lock's name
// 3. look at the private file: two links: the lock is ours, whatever 2 came back with
// 4. remove the private file, in every outcome
//
// A link that the server carries out late, after its reply was given up, finds the private file gone.
class HardLink final : public FileClaim {
 public:
  using FileClaim::FileClaim;

 private:
  enum class Outcome { ours, others, unknown };

  bool make() override;
  Outcome decide(const std::string& hidden, fs::Attributes& seen, fs::Result& looked);
  bool enter(const fs::Attributes& seen);
  void withdraw();
};

}  // namespace rwlease::softlock
