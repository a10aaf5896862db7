// Exclusive soft locks for serial jobs and for sites whose scripts already use lock files.
#pragma once

#include <rwlease/cancel.hpp>
#include <rwlease/deadline.hpp>
#include <rwlease/error.hpp>
#include <rwlease/export.hpp>
#include <rwlease/lease.hpp>
#include <rwlease/log.hpp>
#include <rwlease/status.hpp>

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease {

// What makes the lock exclusive; all who use one name choose the same. docs/softlock.md says which one when.
enum class Primitive {
  hard_link,       // a private file with the owner's record is linked to the lock's name; the safest choice
  directory,       // mkdir of the lock's name, with the owner's record in it; for scripts that use mkdir
  exclusive_file,  // open(O_CREAT | O_EXCL) of the lock's name; where hard links are not to be had
};

RWLEASE_EXPORT std::string_view to_string(Primitive) noexcept;

// How a lock is found stale when its owner is not proven dead.
enum class StaleRule {
  observed,  // it showed no life for the stale age on the observer's own clock
  file_age,  // its file is older than the stale age by the file server's clock; removes live locks of owners without a
             // heartbeat, as all programs with this rule do, and says so in the log each time
};

// Who holds a soft lock. Strings are empty and numbers 0 where that is not known.
struct RWLEASE_EXPORT LockOwner {
  std::string user;  // of the entry, as the file system has it: a name, or the number where there is no name
  std::string host;
  long pid = 0;
  std::chrono::system_clock::time_point since;      // by the owner's clock, else by the file server's
  std::chrono::system_clock::time_point last_sign;  // the last sign of life, by the file server's clock
  std::string label;
  std::string made_by;  // "rwlease"; "NFSLock", "pid file" or "another program" by its content
  Liveness liveness = Liveness::unknown;
  std::string why;  // one clause for the liveness
};

// One line for people: "alice on node07, process 4711, since 2026-11-30 17:27:13".
RWLEASE_EXPORT std::string to_string(const LockOwner&);

// The time or the tries are over and somebody else holds the lock. Nothing of the attempt was left behind.
class RWLEASE_EXPORT LockBusy : public Timeout {
 public:
  LockBusy(std::string operation, std::string path, const std::string& cause, std::optional<LockOwner> owner);
  ~LockBusy() override;

  // Nothing when it was given back at the last moment.
  const std::optional<LockOwner>& owner() const noexcept { return owner_; }

 private:
  std::optional<LockOwner> owner_;
};

struct RWLEASE_EXPORT SoftLockOptions {
  using Seconds = std::chrono::duration<double>;  // fractions welcome

  Primitive primitive = Primitive::hard_link;

  // The lock's entry is NAME with this behind it. Unset: ".lock", ".LOCK" for a directory. Empty: NAME itself.
  std::optional<std::string> suffix;

  // How often a waiter looks: from a millisecond to an hour, a fifth up or down at random. On the same host it is
  // woken at once.
  Seconds poll{0.5};

  // How long lock() and acquire() wait. Unset: as long as it takes. 0: one try.
  std::optional<Seconds> timeout;

  // Instead of a timeout: so many tries, a poll apart. 0: by timeout.
  int tries = 0;

  // When may an owner that shows no life be taken for dead? 0: never, unless its death is proven. Else at least four
  // polls and less than a day. It is also this owner's own promise, in its record: after so long without a heartbeat
  // it has stopped working, and others may take over. What counts is the longer of the owner's and the observer's; an
  // owner that promised nothing (0) is never taken for dead by StaleRule::observed.
  Seconds stale{0};
  StaleRule stale_rule = StaleRule::observed;

  // The same for what another program made, which has no record: a plain file, a bare directory. 0: never. Else at
  // least 3 s.
  Seconds foreign_stale{0};

  // How often the owner shows life. 0: not at all. At most half of `stale` (where that is not 0).
  Seconds heartbeat{0};

  // False: take nobody for dead on proof.
  bool trust_proof_of_death = true;

  // True: only processes of this host use the lock. The file then begins with the pid on a line of its own, as
  // `dotlockfile -p` writes and reads it, and the bare pid in a file of that kind counts: gone means dead. Never on a
  // shared file system: on another host the same number is another process or none.
  bool single_host = false;

  // The process that the lock belongs to. 0: this one.
  pid_t process = 0;

  // False: others may go on working under the lock when that process ends, so its death proves nothing.
  bool sole = true;

  // Shown to those who wait: at most 128 bytes of printable ASCII.
  std::string label;

  // Called with lines for a log, on the thread that acts; unset: the process's hook (log.hpp). What it throws is
  // swallowed.
  std::function<void(LogLevel, std::string_view)> log;

  // Called with what lock(), acquire() or unlock() is about to throw, or could not say because it runs in a
  // destructor; and with LeaseLost, on the heartbeat's thread, when the lock was taken away. What it throws is
  // swallowed.
  std::function<void(const Error&)> on_failure;

  std::string effective_suffix() const;

  // Throws InvalidOptions with one sentence that says what cannot work and why.
  void validate() const;
};

// What acquire() came back with.
struct RWLEASE_EXPORT LockResult {
  bool locked = false;
  std::optional<LockOwner> owner;  // who holds it instead

  explicit operator bool() const noexcept { return locked; }
};

// An exclusive lock on a name, kept as one entry beside it. A TimedLockable: works with std::unique_lock.
//
// The owner is whoever the file system shows to be; return codes decide nothing where a look can. A lock is given back
// when the object is destroyed, not by exit() or a signal; what a process left that ended otherwise is found dead on
// its host at once, and elsewhere when its stale age has passed.
//
// Threads: any, on one object too: one holds, the others wait. The thread that holds may not lock again (UsageError).
// After fork() the child holds nothing: its objects are as if they had never locked; the lock stays the parent's.
class RWLEASE_EXPORT SoftLock {
 public:
  // Checks the options and the name: its directory must exist and be writable. Throws InvalidOptions, Error.
  explicit SoftLock(const std::filesystem::path& name, SoftLockOptions options = {});

  // Gives the lock back, if this object holds it.
  ~SoftLock();
  SoftLock(const SoftLock&) = delete;
  SoftLock& operator=(const SoftLock&) = delete;

  // By the options' timeout or tries. Throws LockBusy; Error when the file system refuses; UsageError.
  void lock();

  // One try.
  bool try_lock();

  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return acquire(Deadline::after(duration)).locked;
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
    const auto now = Clock::now();
    return acquire(when <= now ? Deadline::now() : Deadline::after(when - now)).locked;
  }

  // Like lock(), but says who holds it instead of throwing. Throws Cancelled.
  LockResult acquire(const Cancel* cancel = nullptr);
  LockResult acquire(Deadline deadline, const Cancel* cancel = nullptr);

  // Gives it back. already_lost: others had taken it for dead, or it was removed; nothing of theirs was touched.
  // Throws UsageError when this object does not hold it; Error when it could not be removed (it is then no longer
  // held, and others wait for its stale age).
  void unlock() { static_cast<void>(release()); }
  ReleaseResult release();

  // One look that no cache answers: is it mine? Throws Error when the look fails.
  bool locked() const;

  // The owner's own clock alone: may it still rely on the lock? Always true of a held one with stale = 0.
  bool valid() const noexcept;

  // One heartbeat by hand; false when it came too late, or the lock is not mine any more.
  bool touch();

  // Who holds it; nothing when nobody does. One look, no change.
  std::optional<LockOwner> owner() const;

  // Gives it back for an owner that is proven dead. False when there is none, or no proof.
  bool release_dead();

  // Removes it, whoever holds it and whatever is at work: what stands there now, not what may stand there later. False
  // when nothing was there. For people who know what they do.
  bool break_lock();

  // Locks that outlive the process, for command lines. leave(): what this object holds stays when it goes.
  // adopt(): holds what an earlier process left for this process (see SoftLockOptions::process); false when the lock
  // there is not that.
  void leave();
  bool adopt();

  const std::filesystem::path& name() const noexcept;
  const std::filesystem::path& path() const noexcept;  // the lock's entry
  const SoftLockOptions& options() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Several names of one directory, locked with the same options by one object. One thread.
class RWLEASE_EXPORT SoftLocks {
 public:
  // Throws as SoftLock does.
  explicit SoftLocks(std::filesystem::path directory, SoftLockOptions options = {});

  // Everything it holds is given back when it is destroyed. `name` is a file name in the directory. Throws as SoftLock
  // does; UsageError for a name that it holds already, or that it does not hold.
  void lock(const std::string& name);
  LockResult acquire(const std::string& name);
  void unlock(const std::string& name);

  // What this object has locked and not unlocked, and whether that is still its own by a look.
  struct Held {
    std::string name;
    std::chrono::system_clock::time_point since;
    bool mine;
  };
  std::vector<Held> held() const;

 private:
  struct Entry {
    std::unique_ptr<SoftLock> lock;
    std::chrono::system_clock::time_point since;
  };

  std::unique_ptr<SoftLock> make(const std::string& name) const;
  void keep(const std::string& name, std::unique_ptr<SoftLock> lock);

  std::filesystem::path directory_;
  SoftLockOptions options_;
  std::map<std::string, Entry> held_;
};

}  // namespace rwlease
