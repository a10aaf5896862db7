// A lease that is held.
#pragma once

#include <rwlease/export.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace rwlease {

enum class Mode { read, write };

enum class LeaseState {
  valid,      // in force
  suspended,  // the deadline passed, or the machine stood still; not in force, but it may be renewed
  lost,       // over for good: somebody else may hold
  released,   // given back, or this object holds nothing
};

enum class LossReason {
  suspended,  // the deadline passed before a heartbeat came back; the library goes on trying to renew
  expired,    // the same with Options::renew = false: over for good
  evicted,    // the marker is gone: removed by others, or with its directory
};

enum class ReleaseResult {
  released,            // given back while it was in force
  already_lost,        // it was not in force any more; nothing of it is left
  invalid_after_fork,  // this is a child of the holder: nothing was done, the parent still holds
};

RWLEASE_EXPORT std::string_view to_string(Mode) noexcept;
RWLEASE_EXPORT std::string_view to_string(LeaseState) noexcept;
RWLEASE_EXPORT std::string_view to_string(LossReason) noexcept;
RWLEASE_EXPORT std::string_view to_string(ReleaseResult) noexcept;

namespace runtime {
class Hold;
}

// Move-only handle of a lease; gives it back when destroyed. A default-constructed or moved-from one holds nothing.
//
// A lease is in force until its deadline, which each heartbeat moves on. All that the holder does under it must be
// done while valid() says true; the margin (Options::margin) is the time left to finish an act begun then.
//
// Threads: one object, one thread at a time, except that valid(), state(), remaining() and fence() may be called from
// any thread while no other moves, releases or destroys it. It may be moved to, and released on, another thread; the
// rules of reentrancy go by the thread that acquired it.
//
// After fork() the child's objects hold nothing: valid() is false, release() says invalid_after_fork, destroying one
// does nothing.
class RWLEASE_EXPORT Lease {
 public:
  Lease() noexcept;
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;  // gives back what this object held
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  Mode mode() const noexcept;

  // Is it in force? Reads clocks only: no I/O, no waiting, no lock; a few dozen nanoseconds. False at once after a
  // stop (SIGSTOP, suspend, a paused virtual machine) that outlasted the deadline.
  bool valid() const noexcept;

  LeaseState state() const noexcept;

  // valid(), confirmed by one look at the file system that no cache answers. May block as long as the file system
  // does. False also when the look itself fails.
  bool verify() const noexcept;

  // How long valid() stays true without a further heartbeat; zero when it is not.
  std::chrono::nanoseconds remaining() const noexcept;

  // The fencing number of a write lease: greater than that of every earlier write lease of this lock. A store that
  // remembers the greatest number it saw can refuse an older holder that does not yet know it lost. 0 for a read lease.
  std::uint64_t fence() const noexcept;

  // The name of its marker in the lock directory, for a Witness in another process; empty when this object holds
  // nothing. A renewal after a suspension changes it. It contains the token, which is nobody's business: don't log it.
  std::string marker() const;

  // Sets what is called, once for each time, when the lease stops being in force without having been released. It is
  // called on a thread of the library that does no file I/O, on time even when the file system hangs; what it throws
  // is swallowed (and logged). It should be short: other leases' calls wait for it. It may release the lease. If the
  // lease is not in force by now, it is called soon. release() waits for a call under way, unless made inside it.
  void on_lost(std::function<void(LossReason)> callback);

  // Likewise for a suspended lease that is in force again.
  void on_renewed(std::function<void()> callback);

  // Renames a finished file or directory into place: `finished` becomes `target`, only if the lease is a write lease,
  // verify() is true and time enough remains (half the margin). Both on one file system; write and sync `finished`
  // before.
  //
  // Throws LeaseLost (nothing was renamed), UsageError for a read lease, Error when the look at the lease fails
  // (nothing was renamed) or the rename does (where only its reply was lost, `target` may be in place: see whether
  // `finished` is still there).
  //
  // Limits: a process that is stopped between the last look at the clock and the rename, for longer than the margin,
  // or a rename that hangs in a mount for longer, can still come after a successor began. Compare fence() where the
  // store can.
  void publish(const std::filesystem::path& finished, const std::filesystem::path& target);

  // Turns a write lease into a read lease with no gap in which another writer could come between; its callbacks go
  // over. Throws LeaseLost when it was not in force (the lease is over then), UsageError for a read lease, for nested
  // write leases, and in a child after fork (this object is as before). On another Error this object holds the write
  // lease as before.
  Lease downgrade() &&;

  // Gives it back: one removal for a reader, two for a writer. Close (on NFS: or fsync) what was written under it
  // before, so that the next holder sees it. Where a heartbeat hangs in the file system for more than two seconds the
  // marker is left to it, and so it is inside on_lost. Never throws; a second call says already_lost. Where the thread
  // acquired several times (nested), only the last release removes the marker. May block as long as the file system
  // does.
  ReleaseResult release() noexcept;

  // True when this object stands for a lease that was acquired and not released, in force or not.
  explicit operator bool() const noexcept { return hold_ != nullptr; }

 private:
  friend class Lock;
  Lease(std::shared_ptr<runtime::Hold> hold, std::uint64_t object) noexcept;

  std::shared_ptr<runtime::Hold> hold_;
  std::uint64_t object_ = 0;  // which of the hold's objects
};

}  // namespace rwlease
