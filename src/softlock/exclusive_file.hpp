// The lock as a file made exclusively.
#pragma once

#include "softlock/file_claim.hpp"

namespace rwlease::softlock {

// One open with O_CREAT and O_EXCL at the lock's name, then the record. Between the two others see a file without a
// record; so whoever has made it is the owner only if the record was there within the step limit, and they wait for it
// for the window.
class ExclusiveFile final : public FileClaim {
 public:
  using FileClaim::FileClaim;

 private:
  bool make() override;
  void withdraw(Nanoseconds began);
};

}  // namespace rwlease::softlock
