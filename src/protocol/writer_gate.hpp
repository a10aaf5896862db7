// Waiting for the standing writer to go.
#pragma once

#include "protocol/observer.hpp"

#include <string>
#include <vector>

namespace rwlease::protocol {

// What readers, and writers before their claim, wait at. A poll is one forced look at the standing claim's marker; only
// when that is gone is `writer` itself asked for, by rmdir, which the server answers and which clears away an empty
// one. One thread.
class WriterGate {
 public:
  explicit WriterGate(const Site& site) : site_(site), observer_(site) {}

  // True: at this moment no writer stands. Evicts what is dead on the way. Throws DirectoryGone.
  bool open();

  // What the last poll failed with, where it says nothing therefore.
  fs::Result trouble() const noexcept { return asking_.ok() ? observer_.trouble() : asking_; }

  // What stands in the way since the last poll, relative to the lock directory.
  const std::vector<std::string>& in_the_way() const noexcept { return standing_; }

 private:
  enum class Standing { no, yes, not_a_directory, unknown };

  Standing ask();
  bool absent_for_sure();
  void learn();
  void inspect_all();

  Site site_;
  Observer observer_;
  fs::Result asking_;  // how asking for `writer` itself failed
  std::vector<std::string> standing_;
  bool believed_absent_ = false;  // the last time that it was asked for
  bool listed_before_ = false;    // a further listing is only fresh after an own change
};

}  // namespace rwlease::protocol
