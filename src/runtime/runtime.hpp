// What a process has once: its clock and host, the lock directories it has open, its threads.
#pragma once

#include "fs/clock.hpp"
#include "fs/host.hpp"
#include "fs/posix.hpp"
#include "runtime/instance.hpp"
#include "runtime/ticker.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace rwlease::runtime {

// Made on first use, again in a forked child (the parent's is left alone there), and never destroyed: threads may be
// stuck in it. At exit() everything held ends. Any thread.
class Runtime {
 public:
  static Runtime& get();

  fs::FileSystem& file_system() noexcept { return file_system_; }
  const fs::Clock& clock() const noexcept { return clock_; }
  const fs::Host& host() const noexcept { return host_; }
  Ticker& watcher() noexcept { return watcher_; }

  // File I/O of heartbeats goes by mount, so that one that hangs stops no other.
  Ticker& refresher_of(std::uint64_t device);

  // Opens the lock directory, making and checking it; the same state for the same directory. Throws Error,
  // UnsafeDirectory.
  // `stale` (or null) is not given again: its directory was removed, even where a new one looks the same (NFS servers
  // use inode numbers again).
  std::shared_ptr<Instance> open(const std::string& path, const Options& options,
                                 const std::shared_ptr<Instance>& stale);

  // What is held is given back, or left to run out where others may work under it; the threads stop.
  void end_everything() noexcept;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  Runtime();
  std::unique_ptr<fs::Directory> open_directory(const std::string& path, const Options& options);
  std::shared_ptr<Instance> find(const Key& key, const std::shared_ptr<Instance>& stale);
  protocol::MarkerKind kind_on(std::uint64_t device, const protocol::Site& site);

  fs::PosixFileSystem file_system_;
  fs::SystemClock clock_;
  fs::SystemHost host_;
  Ticker watcher_;

  std::mutex mutex_;  // guards all below; never held during I/O
  std::map<Key, std::weak_ptr<Instance>> instances_;
  std::map<std::uint64_t, std::unique_ptr<Ticker>> refreshers_;
  std::map<std::uint64_t, protocol::MarkerKind> kinds_;
};

}  // namespace rwlease::runtime
