/* rwlease for C (C11 and newer): read/write leases on a name, for processes on any hosts that share its directory.
 *
 * This is the C++ interface in other words: what a lock, a lease and the options promise is said in lock.hpp, lease.hpp
 * and options.hpp. For communicators there is rwlease_mpi.h.
 *
 *   rwl_lock *lock;
 *   rwl_lease *lease;
 *   if (rwl_lock_create("/scratch/data", NULL, &lock) != RWL_OK) return complain(rwl_last_message());
 *   if (rwl_acquire(lock, RWL_WRITE, 600.0, NULL, &lease) == RWL_OK) {
 *     write_everything("/scratch/data.new");                            // while rwl_lease_valid(lease)
 *     rwl_lease_publish(lease, "/scratch/data.new", "/scratch/data");   // renames only while the lease is in force
 *     rwl_lease_release(&lease);
 *   }
 *   rwl_lock_free(&lock);
 *
 * Codes: functions that can fail return RWL_OK or another rwl_code. After a failure rwl_last_message() tells operation,
 * path and cause, on the thread that made the call.
 *
 * Handles: what ends one takes its address and sets it to NULL; ending NULL is harmless, every other use of it is
 * RWL_USAGE (or says no). Where a call fails, the handle that it was to make is NULL.
 *
 * Threads: a lock may be used by any number of threads, a lease and options by one at a time; rwl_lease_valid(),
 * rwl_lease_state(), rwl_lease_remaining() and rwl_lease_fence() by any, while no other ends the lease. Fork: a child
 * holds nothing of its parent's. No function lets a C++ exception out.
 *
 * Durations are seconds in double; a negative timeout waits as long as it takes, 0 is one try. */
#ifndef RWLEASE_RWLEASE_H
#define RWLEASE_RWLEASE_H

#include <rwlease/export.hpp> /* plain preprocessor */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C: NOLINTBEGIN(modernize-use-using,readability-identifier-naming) */

/* The values stay as they are; new ones may come. */
typedef enum rwl_code {
  RWL_OK = 0,
  RWL_BUSY = 1,             /* a try: somebody is in the way */
  RWL_TIMEOUT = 2,          /* the time was over before the lease was granted; nothing is left behind */
  RWL_CANCELLED = 3,        /* likewise, cancelled */
  RWL_LOST = 4,             /* the lease is, or was, not in force */
  RWL_INVALID_OPTIONS = 5,  /* options, or a name, that cannot work */
  RWL_USAGE = 6,            /* a call that the rules forbid; nothing was changed */
  RWL_UNSAFE_DIRECTORY = 7, /* the lock directory is not one to trust */
  RWL_SYSTEM = 8,           /* the file system or the system refused: rwl_last_errno() */
  RWL_NO_MEMORY = 9,
  RWL_FORKED = 10,       /* this is a child of the holder: nothing was done */
  RWL_MPI = 11,          /* MPI failed (rwlease_mpi.h) */
  RWL_PEER_TIMEOUT = 12, /* other ranks did not come (rwlease_mpi.h) */
  RWL_OTHER = 13         /* none of the above */
} rwl_code;

typedef enum rwl_mode { RWL_READ = 0, RWL_WRITE = 1 } rwl_mode;

typedef enum rwl_state {
  RWL_STATE_VALID = 0,
  RWL_STATE_SUSPENDED = 1, /* not in force, but it may be renewed */
  RWL_STATE_LOST = 2,
  RWL_STATE_RELEASED = 3
} rwl_state;

typedef enum rwl_loss { RWL_LOSS_SUSPENDED = 0, RWL_LOSS_EXPIRED = 1, RWL_LOSS_EVICTED = 2 } rwl_loss;

/* What a code means, in a few English words. Any number has an answer. */
RWLEASE_EXPORT const char* rwl_strerror(int code);

/* The message of the last call that failed on this thread, "OPERATION PATH: CAUSE", or "". It stands until the next one
 * fails on this thread. Never NULL; never contains a token. */
RWLEASE_EXPORT const char* rwl_last_message(void);

/* The errno behind it; 0 where the system was not the cause. */
RWLEASE_EXPORT int rwl_last_errno(void);

/* Options. Unset ones have the defaults of options.hpp. They are checked when a lock is made, and copied there. */
typedef struct rwl_options rwl_options;

typedef enum rwl_option {
  RWL_INTERVAL = 0, /* durations: seconds */
  RWL_LEASE = 1,
  RWL_MARGIN = 2,
  RWL_POLL_MIN = 3,
  RWL_POLL_MAX = 4,
  RWL_STAND_BACK = 5,
  RWL_GROUP = 6, /* share with this group; -1: with the directory's */
  RWL_SOLE = 7,  /* 0 or 1 */
  RWL_PROCESS_GROUP = 8,
  RWL_RENEW = 9,
  RWL_TRUST_PROOF_OF_DEATH = 10,
  RWL_RANKS = 11,
  RWL_LABEL = 12, /* texts */
  RWL_JOB = 13
} rwl_option;

RWLEASE_EXPORT int rwl_options_create(rwl_options** options);
RWLEASE_EXPORT void rwl_options_free(rwl_options** options);
RWLEASE_EXPORT int rwl_options_set(rwl_options* options, int option, double value);
RWLEASE_EXPORT int rwl_options_set_text(rwl_options* options, int option, const char* text);

/* The batch job of a holder, as its environment said (Slurm's variables); "" where it said nothing. New members come at
 * the end. Valid during the call. */
typedef struct rwl_batch_job {
  const char* cluster;
  const char* id;   /* for a task of an array a number of its own */
  const char* step; /* "" in a batch script */
  const char* node; /* only processes that Slurm itself started on a node have it */
  int restarts;     /* how often the job had been requeued */
} rwl_batch_job;

typedef enum rwl_job_state {
  RWL_JOB_UNKNOWN = 0, /* say this when in doubt; every other number is taken for it, too */
  RWL_JOB_RUNNING = 1,
  RWL_JOB_OVER = 2 /* in this run of it: none of its processes can act any more */
} rwl_job_state;

/* `oracle` is asked, with `context`, about holders of whose death there is no proof on this host: where it answers
 * RWL_JOB_OVER the lease is evicted at once. Its word is trusted: see Options::job_oracle. It is called on the thread
 * that acquires (of an rwl_mpi_acquire_async() that is one of the library's), by several at a time where several do,
 * at each look: it must return at once, from what it knows, and must not use longjmp. `context` must live as long as
 * the locks made with these options and their leases. NULL: nobody is asked. */
RWLEASE_EXPORT int rwl_options_set_job_oracle(rwl_options* options,
                                              int (*oracle)(const rwl_batch_job* job, void* context), void* context);

/* Ends waiting acquires, from any thread or signal handler (rwl_cancel_now() is async-signal-safe). */
typedef struct rwl_cancel rwl_cancel;
RWLEASE_EXPORT int rwl_cancel_create(rwl_cancel** cancel);
RWLEASE_EXPORT void rwl_cancel_free(rwl_cancel** cancel);
RWLEASE_EXPORT void rwl_cancel_now(rwl_cancel* cancel);
RWLEASE_EXPORT void rwl_cancel_reset(rwl_cancel* cancel);

/* A lock on the name `path`. Does no I/O. `options` may be NULL. Leases live on when it is freed. */
typedef struct rwl_lock rwl_lock;
RWLEASE_EXPORT int rwl_lock_create(const char* path, const rwl_options* options, rwl_lock** lock);
RWLEASE_EXPORT void rwl_lock_free(rwl_lock** lock);

typedef struct rwl_lease rwl_lease;

/* Blocks until granted. `cancel` may be NULL. */
RWLEASE_EXPORT int rwl_acquire(rwl_lock* lock, int mode, double timeout, const rwl_cancel* cancel, rwl_lease** lease);

/* One try: RWL_BUSY when somebody is in the way. */
RWLEASE_EXPORT int rwl_try_acquire(rwl_lock* lock, int mode, rwl_lease** lease);

/* Is it in force? 1 or 0. Reads clocks only. */
RWLEASE_EXPORT int rwl_lease_valid(const rwl_lease* lease);

/* The same, confirmed by one forced look at the file system. */
RWLEASE_EXPORT int rwl_lease_verify(const rwl_lease* lease);

RWLEASE_EXPORT int rwl_lease_state(const rwl_lease* lease);        /* rwl_state */
RWLEASE_EXPORT int rwl_lease_mode(const rwl_lease* lease);         /* rwl_mode */
RWLEASE_EXPORT double rwl_lease_remaining(const rwl_lease* lease); /* how long valid without a further heartbeat */
RWLEASE_EXPORT uint64_t rwl_lease_fence(const rwl_lease* lease);   /* of a write lease; else 0 */

/* `lost` is called on a thread of the library with an rwl_loss and `context`, once each time the lease stops being in
 * force without having been released. It must be short, and must not use longjmp. NULL: nobody is told any more. */
RWLEASE_EXPORT int rwl_lease_on_lost(rwl_lease* lease, void (*lost)(int reason, void* context), void* context);

/* Renames `finished` to `target`, only while the write lease is in force with time enough. RWL_LOST, RWL_USAGE: nothing
 * was renamed. */
RWLEASE_EXPORT int rwl_lease_publish(rwl_lease* lease, const char* finished, const char* target);

/* Turns the write lease into a read lease with no gap. RWL_LOST: it is over. */
RWLEASE_EXPORT int rwl_lease_downgrade(rwl_lease* lease);

/* Gives it back and ends the handle. RWL_LOST: it was not in force any more. RWL_FORKED. */
RWLEASE_EXPORT int rwl_lease_release(rwl_lease** lease);

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
