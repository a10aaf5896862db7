// What a process has once: its clock and host, the lock directories it has open, its threads.
#pragma once

#include "fs/clock.hpp"
#include "fs/directory.hpp"
#include "fs/host.hpp"
#include "runtime/instance.hpp"
#include "runtime/threads.hpp"
#include "runtime/ticker.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace rwlease::runtime {

// What all the rest stands on.
struct Platform {
  std::unique_ptr<fs::FileSystem> file_system;
  std::unique_ptr<const fs::Clock> clock;
  std::unique_ptr<const fs::Host> host;
  std::unique_ptr<Threads> threads;

  static Platform system();
};

// Made on first use, again in a forked child (the parent's is left alone there), and never destroyed: threads may be
// stuck in it. At exit() everything held ends. Any thread.
class Runtime {
 public:
  static Runtime& get();

  // For a simulation of several processes in one: what get() gives from now on. Nullptr: one of its own.
  static void use(Runtime* runtime) noexcept;
  explicit Runtime(Platform platform);

  fs::FileSystem& file_system() noexcept { return *platform_.file_system; }
  const fs::Clock& clock() const noexcept { return *platform_.clock; }
  const fs::Host& host() const noexcept { return *platform_.host; }
  Threads& threads() noexcept { return *platform_.threads; }
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

  std::unique_ptr<fs::Directory> open_directory(const std::string& path, const Options& options);
  std::shared_ptr<Instance> find(const Key& key, const std::shared_ptr<Instance>& stale);
  protocol::MarkerKind kind_on(std::uint64_t device, const protocol::Site& site);

  const Platform platform_;
  Ticker watcher_;

  std::mutex mutex_;  // guards all below; never held during I/O
  std::map<Key, std::weak_ptr<Instance>> instances_;
  std::map<std::uint64_t, std::unique_ptr<Ticker>> refreshers_;
  std::map<std::uint64_t, protocol::MarkerKind> kinds_;
};

// Of this process's threads, the one that asks (see Threads::current), or the one that it counts as.
std::uint64_t this_thread();

// From now on the calling thread counts as that one, where a rule goes by threads.
void count_as_thread(std::uint64_t number) noexcept;

}  // namespace rwlease::runtime
