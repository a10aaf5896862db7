// Taking a lease away from a holder by hand.
#pragma once

#include "protocol/observer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rwlease::protocol {

// A holder that lives finds out at its next heartbeat, and takes its lease for valid until then. So another entry is
// put beside its marker before that is removed, which stands for it as long as it could go on: for its lease from the
// removal on. Nobody keeps that entry alive. Whoever waits for it longer than that evicts it like any other, so a
// breaker that dies leaves nothing that is not waited out. It says sole=0: the breaker's death proves nothing.
//
// One thread. Between blocking and removing readers there must be a pause; see pause_for_listings.
class Breaker {
 public:
  // `site` is the breaker's own.
  explicit Breaker(const Site& site) : site_(site), observer_(site) {}

  // Puts an entry beside the one at `path`. False when it is gone by now. Throws Error.
  bool block(const std::string& path);

  // Removes the entry; blocked before, or of a holder that is known to be dead. False when it was gone. Throws Error.
  bool remove(const std::string& path);

  // Could one of those that were removed still take its lease for valid?
  bool may_be_in_force();

  // For how long at most, from now on.
  Nanoseconds left() const;

  // Removes the blocking entries.
  void unblock() noexcept;

  // Removes those whose holders stand: they are left as if nobody had asked for them.
  void withdraw() noexcept;

 private:
  struct Block {
    std::string victim;
    std::optional<Record> record;  // the victim's
    Nanoseconds lease{};
    std::string path;                    // the blocking entry
    std::optional<Nanoseconds> removed;  // when (boot clock) the victim's removal was answered
  };

  std::string make_block(Block& block);
  void take_back(const Block& block) noexcept;

  Site site_;
  Observer observer_;
  std::vector<Block> blocks_;
};

// A writer's listing of readers/ that began before the blocking entry came, and goes on until after the removal, might
// miss both. One that takes more than this is not reckoned with.
inline constexpr std::chrono::seconds pause_for_listings{1};

}  // namespace rwlease::protocol
