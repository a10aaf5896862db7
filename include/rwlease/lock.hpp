// Read/write leases on a name, for processes on any hosts that share its directory.
#pragma once

#include <rwlease/cancel.hpp>
#include <rwlease/deadline.hpp>
#include <rwlease/error.hpp>
#include <rwlease/export.hpp>
#include <rwlease/lease.hpp>
#include <rwlease/options.hpp>
#include <rwlease/status.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace rwlease {

// Whom an acquire waits for.
struct RWLEASE_EXPORT Obstacle {
  Mode wanted = Mode::read;
  Participant holder;                  // one of those in the way
  std::size_t others = 0;              // how many more
  std::chrono::milliseconds waited{};  // since the acquire began
};

// A lock on the name PATH, kept in the directory PATH.rwlease beside it. PATH itself need not exist and is not touched.
// A relative PATH is resolved when the object is made.
// The directory is made on first use and stays; its parent must exist.
//
// Many readers or one writer; a writer that claims is let in before any reader that comes later. Holders that die are
// evicted: at once where their death is proven on their own host, else when their lease has passed.
//
// Threads: any. All objects that name one directory, however spelled, share one state in the process. Threads exclude
// each other like processes. A lease is reentrant on the thread that took it, within its mode: the nested one needs no
// file access, and fails with LeaseLost when the lease is not in force. A reader that asks to write is refused
// (UsageError), a writer that asks to read too: downgrade() does that.
//
// Fork: the child holds nothing of its parent's and may acquire anew. At exit() what is held is given back, except that
// leases with Options::sole = false run out instead, because others may go on working under them. What the C and
// C++ streams still buffer is written after that, so flush and close files before the lease goes.
//
// It models SharedTimedLockable (less the requirement that try_lock never fails spuriously), so std::unique_lock,
// std::shared_lock and std::scoped_lock work; acquire() gives a Lease, which can tell more.
class RWLEASE_EXPORT Lock {
 public:
  // Checks name and options; does no I/O. Throws InvalidOptions.
  explicit Lock(const std::filesystem::path& name, Options options = {});

  // Gives back what was taken through lock() and lock_shared(); leases live on.
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Blocks until granted. Throws Timeout or Cancelled; UsageError (upgrade, see above); UnsafeDirectory; Error when the
  // file system refuses, at once for what will not pass (permission, quota), for what may pass (EIO, ETIMEDOUT) when
  // it lasts longer than a lease or than the deadline. Nothing is left behind then. A call into a mount that hangs
  // (hard NFS, server away) overruns the deadline: the kernel does not let go of it.
  Lease acquire(Mode mode, Deadline deadline = Deadline::forever(), const Cancel* cancel = nullptr);

  // One try: empty when somebody is in the way.
  std::optional<Lease> try_acquire(Mode mode);

  // Called now and then while acquire() waits, on its thread, outside any lock: who is in the way. Set it before
  // acquiring. What it throws ends the acquire and comes out of it.
  void on_waiting(std::function<void(const Obstacle&)> callback);

  // Who holds and who waits. Works without write permission and on a lock that does not exist; changes nothing.
  Status status() const;

  // Blocks until nobody holds and no writer has claimed; false when the deadline passed first. Changes nothing: holders
  // that are dead by the rules of eviction count as gone, but stay. It is a moment's truth, as this host sees it: only
  // acquire() keeps others out. Throws Cancelled; Error as acquire() does.
  bool wait_until_free(Deadline deadline = Deadline::forever(), const Cancel* cancel = nullptr) const;

  // Likewise until a write lease with that fencing number, or a greater one, was granted.
  bool wait_for_fence(std::uint64_t fence, Deadline deadline = Deadline::forever(),
                      const Cancel* cancel = nullptr) const;

  const std::filesystem::path& name() const noexcept;
  const std::filesystem::path& directory() const noexcept;  // PATH.rwlease
  const Options& options() const noexcept;

  // SharedTimedLockable. What these take belongs to the calling thread. unlock() and unlock_shared() throw UsageError
  // when the thread took nothing through this object; a lease that was lost is given back silently, as is everything
  // in a forked child.
  void lock();
  bool try_lock();
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return take(Mode::write, Deadline::after(duration));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    return take(Mode::write, until(when));
  }
  void unlock();

  void lock_shared();
  bool try_lock_shared();
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration) {
    return take(Mode::read, Deadline::after(duration));
  }
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when) {
    return take(Mode::read, until(when));
  }
  void unlock_shared();

 private:
  template <class Clock, class Duration>
  static Deadline until(const std::chrono::time_point<Clock, Duration>& when) {
    const auto now = Clock::now();
    return when <= now ? Deadline::now() : Deadline::after(when - now);
  }

  bool take(Mode mode, Deadline deadline);
  void give_back(Mode mode);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwlease
