/* rwlease for C, for a communicator: all its ranks hold one lease together, and every call has the same outcome on all.
 *
 * This is mpi.hpp in other words; what collective calls ask of the ranks, which threads may call, and what becomes of a
 * lease when a rank fails is said there. Codes, messages, handles and durations are those of rwlease.h.
 *
 *   rwl_mpi_lock *lock;
 *   rwl_mpi_lease *lease;
 *   int state;
 *   rwl_mpi_lock_create(MPI_COMM_WORLD, "/scratch/data", NULL, NULL, &lock);
 *   if (rwl_mpi_acquire(lock, RWL_WRITE, 600.0, NULL, &lease) == RWL_OK) {
 *     while (compute() && rwl_mpi_check(lease, &state) == RWL_OK && state == RWL_STATE_VALID)
 *       write_part();                                                  // asks rwl_mpi_valid(lease) before each piece
 *     rwl_mpi_publish(lease, "/scratch/data.new", "/scratch/data");
 *     rwl_mpi_release(&lease);
 *   }
 *   rwl_mpi_close(&lock);
 */
#ifndef RWLEASE_RWLEASE_MPI_H
#define RWLEASE_RWLEASE_MPI_H

#include <mpi.h>
#include <rwlease/rwlease.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C: NOLINTBEGIN(modernize-use-using,readability-identifier-naming) */
typedef struct rwl_mpi_lock rwl_mpi_lock;
typedef struct rwl_mpi_lease rwl_mpi_lease;
typedef struct rwl_mpi_request rwl_mpi_request;

/* How the ranks deal with each other: see mpi::Policy. NULL stands for { 0, 0, -1.0 }. */
typedef struct rwl_mpi_policy {
  int root;            /* which rank touches the file system */
  int abort_on_loss;   /* not 0: the first check after a loss calls MPI_Abort with code 123 */
  double peer_timeout; /* how long ranks wait for each other before RWL_PEER_TIMEOUT; negative: as long as it takes */
} rwl_mpi_policy;

/* Collective. `options` and `policy` may be NULL. */
RWLEASE_EXPORT int rwl_mpi_lock_create(MPI_Comm communicator, const char* path, const rwl_options* options,
                                       const rwl_mpi_policy* policy, rwl_mpi_lock** lock);

/* The same for a Fortran handle (use mpi: the integer; use mpi_f08: its component mpi_val). */
RWLEASE_EXPORT int rwl_mpi_lock_create_f(MPI_Fint communicator, const char* path, const rwl_options* options,
                                         const rwl_mpi_policy* policy, rwl_mpi_lock** lock);

/* Collective: gives back every lease of the lock, and ends the handle unless it fails. Leases' handles are ended by
 * rwl_mpi_release() or rwl_mpi_drop(), before or after. */
RWLEASE_EXPORT int rwl_mpi_close(rwl_mpi_lock** lock);

/* Ends the handle without communication; see mpi::Lock::~Lock(). */
RWLEASE_EXPORT void rwl_mpi_lock_free(rwl_mpi_lock** lock);

/* Collective. The root's `cancel` counts; it may be NULL. */
RWLEASE_EXPORT int rwl_mpi_acquire(rwl_mpi_lock* lock, int mode, double timeout, const rwl_cancel* cancel,
                                   rwl_mpi_lease** lease);

/* Collective. RWL_BUSY when somebody is in the way. */
RWLEASE_EXPORT int rwl_mpi_try_acquire(rwl_mpi_lock* lock, int mode, rwl_mpi_lease** lease);

/* Collective, but does not block. */
RWLEASE_EXPORT int rwl_mpi_acquire_async(rwl_mpi_lock* lock, int mode, double timeout, rwl_mpi_request** request);

/* Never blocks: *over becomes 1 when the request is granted or failed, else 0. */
RWLEASE_EXPORT int rwl_mpi_test(rwl_mpi_request* request, int* over);

/* Blocks; returns what rwl_mpi_acquire() would have. Ends the request, unless RWL_USAGE says that it may not be made
 * here. */
RWLEASE_EXPORT int rwl_mpi_wait(rwl_mpi_request** request, rwl_mpi_lease** lease);

/* Collective: nothing is held afterwards. Ends the request likewise. */
RWLEASE_EXPORT int rwl_mpi_cancel(rwl_mpi_request** request);

/* Ends the request without communication; see mpi::Request. */
RWLEASE_EXPORT void rwl_mpi_request_free(rwl_mpi_request** request);

/* Local. valid reads clocks only; verify looks at the marker from this rank's host. 1 or 0. */
RWLEASE_EXPORT int rwl_mpi_valid(const rwl_mpi_lease* lease);
RWLEASE_EXPORT int rwl_mpi_verify(rwl_mpi_lease* lease);
RWLEASE_EXPORT int rwl_mpi_mode(const rwl_mpi_lease* lease);
RWLEASE_EXPORT double rwl_mpi_remaining(const rwl_mpi_lease* lease);
RWLEASE_EXPORT uint64_t rwl_mpi_fence(const rwl_mpi_lease* lease);

/* Collective: *state becomes the root's verdict (rwl_state), the same on all ranks. */
RWLEASE_EXPORT int rwl_mpi_check(rwl_mpi_lease* lease, int* state);

/* Collective: the root renames `finished` to `target`, only while the lease is in force. */
RWLEASE_EXPORT int rwl_mpi_publish(rwl_mpi_lease* lease, const char* finished, const char* target);

/* Collective: the handle is a read lease afterwards. */
RWLEASE_EXPORT int rwl_mpi_downgrade(rwl_mpi_lease* lease);

/* Collective: gives it back and ends the handle, unless the ranks do not agree (RWL_USAGE, RWL_MPI). RWL_LOST: it was
 * not in force any more. */
RWLEASE_EXPORT int rwl_mpi_release(rwl_mpi_lease** lease);

/* Ends the handle without communication; see mpi::Lease for when the lease ends then. */
RWLEASE_EXPORT void rwl_mpi_drop(rwl_mpi_lease** lease);

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
