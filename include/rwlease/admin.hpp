// Taking leases away from their holders by hand.
#pragma once

#include <rwlease/cancel.hpp>
#include <rwlease/export.hpp>
#include <rwlease/lock.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace rwlease {

enum class Broken {
  removed,    // it holds no more; one that lives finds out at its next heartbeat
  gone,       // there is none of that id: it left, or was renewed under another id, or evicted
  alive,      // it is not known to be dead, and was left alone
  cancelled,  // its turn had not come yet: it was left alone
};

enum class BreakHow {
  if_dead,  // only where its death is proven on this host, or the lock's Options::job_oracle says that its job is over
  safely,   // others get in only when it can no longer take its lease for valid: see Breaker::settle
  at_once,  // others get in at once. It is known to be dead; if it is not, two may hold for as long as a lease
};

// Takes leases away. What is in preparation (a claim behind another writer, a reader's hidden marker) holds nothing and
// comes again when it is removed, so it is only removed where its owner is provably dead.
//
// A process that dies in the middle leaves the lock excluded, by entries that others wait out and evict.
//
// One thread.
class RWLEASE_EXPORT Breaker {
 public:
  // Needs write permission, and with group sharing Options::sharing as its holders have it. Does no I/O.
  explicit Breaker(const Lock& lock);
  ~Breaker();
  Breaker(const Breaker&) = delete;
  Breaker& operator=(const Breaker&) = delete;

  // One outcome for each of the ids, as Participant::id tells them. Throws Error when the file system refuses,
  // UsageError when several entries have one id. Nothing is left beside those that it did not take away, whatever ended
  // it: an error, or `cancel`, which does not make it throw.
  std::vector<Broken> take(const std::vector<std::string>& ids, BreakHow how, const Cancel* cancel = nullptr);

  // For how long at most those taken away safely could still take their leases for valid.
  std::chrono::milliseconds left() const;

  // Waits for that, or for the proof of their death, and lets the others in; they would get in later by themselves, and
  // do so when this ends early: what stands for a holder that may live cannot go before its time. Throws Cancelled.
  void settle(const Cancel* cancel = nullptr);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwlease
