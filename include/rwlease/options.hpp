// How a lock behaves: durations, sharing, what its markers say. Checked together, before anything is touched.
#pragma once

#include <rwlease/batch_job.hpp>
#include <rwlease/export.hpp>

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace rwlease {

// Who may use the lock.
enum class Sharing {
  owner,  // only the user that created it: directories 0700, file markers 0600
  group,  // the lock directory's group as well: 02770 and 0660
};

struct RWLEASE_EXPORT Options {
  // How often a holder shows that it lives. At least 10 ms; at least 2 s where the file system keeps times in whole
  // seconds (Lustre, BeeGFS).
  std::chrono::milliseconds interval{30'000};

  // For how long a holder that shows no life is waited for: at least two intervals, at most a day. Unset: three
  // intervals. A holder's own value is in its marker, so participants need not agree.
  std::optional<std::chrono::milliseconds> lease;

  // How much earlier than the lease's end the holder itself stops. It covers clocks that run at different rates and the
  // time between a look at valid() and the act that relies on it. Unset: a tenth of the lease. Less than
  // lease - interval, so that a heartbeat has time to arrive.
  std::optional<std::chrono::milliseconds> margin;

  // A waiter looks at the lock after poll_min, then less and less often up to poll_max, with jitter. On the same host
  // it is woken at once whatever these say. poll_max: at most the interval and a fifth of the lease.
  std::chrono::milliseconds poll_min{20};
  std::chrono::milliseconds poll_max{1'000};

  Sharing sharing = Sharing::owner;

  // With Sharing::group, the group that must own the lock directory (and is given it when it is created). Unset: the
  // group that the file system gives it.
  std::optional<gid_t> group;

  // True: this process alone works under the lease, so when the process is proven dead on its own host the lease may
  // be evicted at once. Set it to false when others work under it too and may outlive this process (children, the
  // other ranks of a communicator): then the lease is waited out, also when the process ends without releasing it.
  bool sole = true;

  // When others of this host work under the lease in one process group (a wrapped command), their process group: the
  // proof of death then asks that it is gone too. 0: none. Only with sole.
  pid_t process_group = 0;

  // True: a lease that was suspended (its deadline passed during an outage) becomes valid again if nobody can have
  // held in between. False: such a lease is lost.
  bool renew = true;

  // False: take nobody for dead before the lease has passed, not even on proof.
  bool trust_proof_of_death = true;

  // Asked about holders of whose death there is no proof on this host: when it says that the job of one is over, that
  // lease is evicted at once. A word about a job is no proof: what the job has started outside of it may go on, and so
  // may processes on a node that was only cut off from the batch system. So it is for those who trust that system to
  // know. Not asked where trust_proof_of_death is false.
  //
  // Called on the thread that acquires, waits (Lock::wait_until_free) or breaks (Breaker) at each look at such a
  // holder, also from several threads at a time where several do: it must return at once, from what it knows, and must
  // not throw. Unset: nobody is asked.
  JobOracle job_oracle;

  // After an own write lease a process stands back this long before it claims again, so that those who wait get their
  // turn. Unset: poll_min. A try without waiting does not stand back.
  std::optional<std::chrono::milliseconds> stand_back;

  // Shown to those who wait and in status: at most 128 bytes of printable ASCII.
  std::string label;

  // Shown likewise: how many ranks work under this lease, and the batch job. The job is taken from the environment
  // (SLURM_JOB_ID and its array task) when it is empty.
  int ranks = 1;
  std::string job;

  std::chrono::milliseconds effective_lease() const { return lease.value_or(3 * interval); }
  std::chrono::milliseconds effective_margin() const { return margin.value_or(effective_lease() / 10); }
  std::chrono::milliseconds effective_stand_back() const { return stand_back.value_or(poll_min); }

  // Throws InvalidOptions with one sentence that says what cannot work and why.
  void validate() const;
};

}  // namespace rwlease
