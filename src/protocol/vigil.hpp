// Waiting for what others do with a lock, without touching it.
#pragma once

#include "protocol/attempt.hpp"
#include "protocol/observer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::protocol {

// Looks only: it makes nothing, removes nothing and evicts nobody. Holders that are dead by the rules of eviction count
// as gone. A poll is one question to the server as long as the one asked about last stands unchanged. What another host
// did a moment ago may be missing (see list_by_looking). One thread.
class Vigil {
 public:
  // `site` says by which clock, host and lease to judge; its directory is not used.
  Vigil(fs::FileSystem& file_system, std::string path, const Site& site);

  // One poll: nobody holds, and no writer has claimed. Throws Error.
  bool is_free();

  // One poll: the newest fencing number; 0 for none. Throws Error.
  std::uint64_t fence();

  // The lock directory as it was opened last; null where there is none.
  const fs::Directory* directory() const noexcept { return opened_.get(); }

  // The directory and the entry whose removal may end the wait for is_free().
  Attempt::Awaited awaited() const;

 private:
  bool open();
  void drop_those_who_left();
  void list_all();
  void add(const std::string& directory);

  fs::FileSystem& file_system_;
  const std::string path_;
  Ledger ledger_;
  Site site_;
  std::unique_ptr<fs::Directory> opened_;
  std::optional<Observer> observer_;
  std::vector<std::string> standing_;
  Nanoseconds look_at_all_{};  // when all of standing_ are to be looked at
  std::optional<fs::Stamp> readers_stamp_;
  Nanoseconds stamp_seen_{};  // for the first time
  Nanoseconds listed_{};
  std::uint64_t fence_ = 0;
};

}  // namespace rwlease::protocol
