// Leases for a whole communicator: all its ranks hold one lease together, and every call has the same outcome on all.
//
// Calls marked collective are made by every rank of the communicator, in the same order, as with MPI's own. They agree
// first: ranks that made different calls, or the same call with different arguments, all get the same UsageError, and
// nothing was done. Ranks that wait sleep between tests for completion.
//
// One rank, the root, touches the file system and keeps the lease alive; the others know by their own clocks until when
// they may work. The usual loop:
//
//   rwlease::mpi::Lock lock(comm, "/scratch/data");
//   auto lease = lock.acquire(rwlease::Mode::write);
//   while (more()) {
//     compute();
//     if (lease.check() != rwlease::LeaseState::valid) break;  // moves every rank's deadline on
//     write_part();                                            // asks lease.valid() before each piece
//   }
//   lease.publish("/scratch/data.new", "/scratch/data");
//   lease.release();
//   lock.close();
//
// Call check() at least every few heartbeat intervals (Options::interval): between two calls the deadline of a rank
// other than the root stands, at most lease - margin after the last one.
//
// MPI: any thread level does. With MPI_THREAD_SINGLE and MPI_THREAD_FUNNELED the collective calls must come from the
// main thread (UsageError elsewhere); with MPI_THREAD_SERIALIZED and above from any, one at a time for each Lock with
// its leases. Nothing here starts a thread that calls MPI, and nothing forks. The communicator is duplicated once;
// nothing is ever sent on the application's.
//
// Errors: rwlease's own (error.hpp), thrown alike on all ranks, with the root's operation, path and cause. What is not
// one of them, thrown on the root, arrives everywhere as Error with its message, std::bad_alloc as std::bad_alloc.
// MpiError when MPI itself fails, and UsageError for what a rank can see alone (MPI not initialised, a null
// communicator, a wrong thread, a closed lock), are thrown on the rank they happen to, without communication.
#pragma once

#include <mpi.h>
#include <rwlease/cancel.hpp>
#include <rwlease/error.hpp>
#include <rwlease/export.hpp>
#include <rwlease/lease.hpp>
#include <rwlease/options.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace rwlease::mpi {

// An MPI call failed; cause() is MPI's own text. The lock's communicator is not to be used again: destroy the objects.
class RWLEASE_EXPORT MpiError : public Error {
 public:
  MpiError(std::string operation, std::string path, const std::string& cause, int mpi_code);
  ~MpiError() override;

  // What the MPI call returned.
  int mpi_code() const noexcept { return mpi_code_; }

 private:
  int mpi_code_;
};

// The timeout of an acquire that waits as long as it takes.
inline constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

namespace detail {
class Session;
class Hold;
}  // namespace detail

// One rank's handle of the communicator's lease. Move-only. A default-constructed or moved-from one holds nothing; its
// calls do not communicate, so all ranks must be alike in this.
//
// valid(), remaining() and fence() may be called from any thread while no other releases, moves or
// destroys the object or closes its lock; all else
// from one thread at a time.
//
// Destroying a lease that was not released never communicates, because an exception may unwind one rank alone. The
// other ranks may then still work under it, so the root does not give the marker back yet. It does so, and until then
// keeps the lease alive,
//   - at once when there is one rank, or when the last deadline handed out to the other ranks has passed;
//   - else at the next collective call on the same Lock, once all ranks have destroyed their lease or that deadline has
//     passed;
//   - at the latest in close() or in MPI_Finalize, which first wait for the other ranks.
// So release() is what lets others in soon. A root that ends without MPI_Finalize leaves a
// lease of several ranks to run out, because the others may go on working; with one rank it is given back at exit().
//
// After fork() the child's objects hold nothing: valid() is false, collective calls throw UsageError, destroying one
// does nothing.
class RWLEASE_EXPORT Lease {
 public:
  Lease() noexcept;
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;  // destroys what this object held
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  Mode mode() const noexcept;

  // Local: is the lease in force, as far as this rank can know? Reads clocks only, on any rank; no communication, no
  // I/O. On the safe side: it may say false while the root still holds (call check() to learn more), never true after
  // somebody else may hold by the protocol (a marker removed by hand shows in check() after the root's next heartbeat).
  // False after a stop of this process or machine that outlasted the deadline.
  bool valid() const noexcept;

  // Local: how long valid() stays true on this rank if nothing else happens; zero when it is not.
  std::chrono::nanoseconds remaining() const noexcept;

  // Local, on every rank: the fencing number of a write lease, 0 for a read lease. See rwlease::Lease::fence().
  std::uint64_t fence() const noexcept;

  // Local. On the root as rwlease::Lease::on_lost(), called on a thread of the library; the callback must not call
  // MPI. On other ranks it does nothing: nobody watches there, check() and valid() tell.
  void on_lost(std::function<void(LossReason)> callback);

  // Collective, cheap (three small collectives, no I/O): the root's verdict, the same on all ranks. When it is valid
  // every rank's deadline moves on to what the root knows. `released` after release() and close().
  LeaseState check();

  // Collective, when every rank has written (and synced) its part: the root renames `finished` to `target` only if all
  // ranks have come and the lease is still in force; see rwlease::Lease::publish() for errors and limits. All ranks
  // name the same paths.
  void publish(const std::filesystem::path& finished, const std::filesystem::path& target);

  // Collective: gives it back when all ranks have come; valid() is false on a rank from the moment it calls. When it
  // returns, the marker is gone. A second call does nothing and says already_lost.
  ReleaseResult release();

  // True when this object stands for a lease that was acquired and not released, in force or not.
  explicit operator bool() const noexcept;

 private:
  friend class Lock;
  Lease(std::shared_ptr<detail::Session> session, std::shared_ptr<detail::Hold> hold) noexcept;

  std::shared_ptr<detail::Session> session_;
  std::shared_ptr<detail::Hold> hold_;
};

// A lock on the name PATH (see rwlease::Lock), held by a communicator as one holder. Several locks, on overlapping
// communicators too, are independent; ranks that use more than one call them in the same order.
//
// On the root the rules of reentrancy are those of rwlease::Lock: a second acquire in the same mode is nested, one in
// the other mode is refused, on all ranks.
class RWLEASE_EXPORT Lock {
 public:
  // Collective over `communicator`, which is duplicated (errors of that one call go to its own error handler) and may
  // be freed afterwards. All ranks name the same path (as spelled), options and root; the root alone resolves the path.
  // With more than one rank Options::sole and process_group are ignored: the lease outlives the root's process, because
  // the other ranks may. Options::ranks is set. Throws InvalidOptions, and UsageError for MPI_COMM_NULL, an
  // intercommunicator, and a root that is no rank.
  Lock(MPI_Comm communicator, const std::filesystem::path& name, const Options& options = {}, int root = 0);

  // Never communicates. Without close() the duplicated communicator stays until MPI_Finalize. Leases live on.
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Collective. Blocks until granted. `timeout` runs from the moment when all ranks have called; zero or less is one
  // try. Throws what rwlease::Lock::acquire() throws, on all ranks. The root's `cancel` counts, the others' are
  // ignored.
  Lease acquire(Mode mode, std::chrono::nanoseconds timeout = forever, const Cancel* cancel = nullptr);

  // Collective. One try: empty when somebody is in the way.
  std::optional<Lease> try_acquire(Mode mode);

  // Collective and final: gives back every lease of this lock (valid() is false from the moment of the call) and frees
  // the duplicated communicator. A second call does nothing; acquire() throws UsageError from now on.
  void close();

  int rank() const noexcept;
  int size() const noexcept;
  int root() const noexcept;
  const std::filesystem::path& name() const noexcept;

 private:
  std::shared_ptr<detail::Session> session_;
};

}  // namespace rwlease::mpi
