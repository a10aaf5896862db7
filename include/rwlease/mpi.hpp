// Leases for a whole communicator: all its ranks hold one lease together, and every call has the same outcome on all.
//
// Calls marked collective are made by every rank of the communicator, in the same order, as with MPI's own. They agree
// first: ranks that made different calls, or the same call with different arguments, all get the same UsageError, and
// nothing was done. That holds across all locks that were made on one communicator. Ranks that wait sleep between tests
// for completion.
//
// One rank, the root, touches the file system and keeps the lease alive; the others know by their own clocks until when
// they may work. The usual loop, "compute, check, write":
//
//   rwlease::mpi::Lock lock(comm, "/scratch/data");
//   auto lease = lock.acquire(rwlease::Mode::write);
//   while (more()) {
//     compute();                                               // as long as it takes; needs no lease
//     if (lease.check() != rwlease::LeaseState::valid) break;  // all ranks alike; moves every rank's deadline on
//     write_part();                                            // asks lease.valid() before each piece
//   }
//   lease.publish("/scratch/data.new", "/scratch/data");
//   lease.release();
//   lock.close();
//
// How to place the calls:
//   - check() goes right before the writing, not after it: what has been computed meanwhile is not harmed by a loss,
//     what is written after one may be.
//   - Between two calls of check() the deadline of a rank other than the root stands, at most lease - margin after the
//     last one. A part that takes longer to write than remaining() needs a check() in between, on all ranks.
//   - valid() goes before every single write: it costs a few dozen nanoseconds. A write that was begun while it said
//     true has Options::margin to finish. Where valid() says false the rank goes to the next check() without writing;
//     the others learn there whether the lease is over (lost) or may come back (suspended: check again after a while).
//   - Write beside the data and publish(), where the data allow it: then a loss costs the work since the last publish,
//     and never leaves half of it in place.
//   - A rank that leaves the loop alone (an exception) leaves the others waiting in check(); see "Failure".
//
// MPI: any thread level does. With MPI_THREAD_SINGLE and MPI_THREAD_FUNNELED the collective calls must come from the
// main thread (UsageError elsewhere); with MPI_THREAD_SERIALIZED and above from any, and as with MPI's own collectives
// the calls on all locks of one communicator come one after the other, in the same order on all ranks. Threads that
// want to go their own ways make their locks on communicators of their own. Nothing here starts a thread that calls
// MPI, and nothing forks. The communicator is duplicated once, and once more for each lock; nothing is ever sent on the
// application's.
//
// Errors: rwlease's own (error.hpp), thrown alike on all ranks, with the root's operation, path and cause. What is not
// one of them, thrown on the root, arrives everywhere as Error with its message, std::bad_alloc as std::bad_alloc.
// MpiError when MPI itself fails, and UsageError for what a rank can see alone (MPI not initialised, a null
// communicator, a wrong thread, a closed lock, a request that is not finished), are thrown on the rank they happen to,
// without communication.
//
// Failure of a rank:
//   - It is killed, or calls MPI_Abort: MPI ends the job. What the root held runs out after the lease.
//   - It throws past its leases: destroying them never communicates. The others wait for it in their next collective
//     call, and get its UsageError there when it comes to another call on a lock of this communicator or to
//     MPI_Finalize; where it does neither, Policy::peer_timeout ends their wait and names it.
//   - It ends without MPI_Finalize: as MPI has it, usually the end of the job.
//   - The root hangs in the file system: no wait for the root's own work has a limit, because it may be the lock that
//     it waits for. valid() ends on every rank in time all the same.
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

// An MPI call failed; cause() is MPI's own text. The lock, and all others on its communicator, are not to be used
// again: destroy the objects.
class RWLEASE_EXPORT MpiError : public Error {
 public:
  MpiError(std::string operation, std::string path, const std::string& cause, int mpi_code);
  ~MpiError() override;

  // What the MPI call returned.
  int mpi_code() const noexcept { return mpi_code_; }

 private:
  int mpi_code_;
};

// Other ranks did not come in time (Policy::peer_timeout); cause() names them as far as they are known. What the root
// holds it keeps until no rank can take it for valid any more.
class RWLEASE_EXPORT PeerTimeout : public MpiError {
 public:
  PeerTimeout(std::string operation, std::string path, const std::string& cause);
  ~PeerTimeout() override;
};

// The timeout of a wait that takes as long as it takes.
inline constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

// The exit code with which a communicator is aborted when its lease is lost; that of `rwlease run` as well.
inline constexpr int exit_code_lost = 123;

// How the ranks of one lock deal with each other. The same on all of them.
struct RWLEASE_EXPORT Policy {
  enum class OnLoss {
    report,  // check() says `lost`, and the application decides
    abort,   // the first check() after the loss ends the communicator's processes: MPI_Abort with exit_code_lost
  };
  OnLoss on_loss = OnLoss::report;

  // How long a rank waits for the others to come to a collective call before all that wait throw PeerTimeout. It finds
  // deadlocks, so it should be longer than any rank may be late. Up to 4 seconds more go into finding out who is
  // missing. Not for waiting for the root's own work. At least 1 ms.
  std::chrono::nanoseconds peer_timeout = forever;
};

namespace detail {
class Session;
class Hold;
}  // namespace detail

// One rank's handle of the communicator's lease. Move-only. A default-constructed or moved-from one holds nothing; its
// calls do not communicate, so all ranks must be alike in this.
//
// valid(), remaining() and fence() may be called from any thread while no other releases, moves or destroys the object
// or closes its lock; all else from one thread at a time.
//
// Destroying a lease that was not released never communicates, because an exception may unwind one rank alone. The
// other ranks may then still work under it, so the root does not give the marker back yet. It does so, and until then
// keeps the lease alive,
//   - at once when there is one rank, or when the last deadline handed out to the other ranks has passed;
//   - else at the next collective call on the same Lock, once all ranks have destroyed their lease or that deadline has
//     passed;
//   - at the latest in close() or in MPI_Finalize, which first wait for the other ranks.
// So release() is what lets others in soon. A root that ends without MPI_Finalize leaves a lease of several ranks to
// run out, because the others may go on working; with one rank it is given back at exit().
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
  // somebody else may hold by the protocol (a marker removed by hand shows in check() after the root's next heartbeat,
  // and in verify() at once).
  // False after a stop of this process or machine that outlasted the deadline.
  bool valid() const noexcept;

  // Local: valid(), confirmed by one forced look at the root's marker from this rank's own host. No communication; may
  // block as long as the file system does.
  //
  // True: at that moment the marker stood, as this host sees it, so nobody had evicted the root, and nobody else held.
  // It does not tell whether the root itself is still well (it may be stopped, or cut off from the file system); that
  // is what the deadline behind valid() is for.
  // False: the deadline has passed, or the look failed, or the marker is gone. Then valid() is false too on this rank,
  // until a check() says otherwise: a lease that was renewed after a suspension has a marker of another name, which a
  // rank learns in check().
  bool verify() noexcept;

  // Local: how long valid() stays true on this rank if nothing else happens; zero when it is not.
  std::chrono::nanoseconds remaining() const noexcept;

  // Local, on every rank: the fencing number of a write lease, 0 for a read lease. See rwlease::Lease::fence().
  std::uint64_t fence() const noexcept;

  // Local. On the root as rwlease::Lease::on_lost(), called on a thread of the library; the callback must not call
  // MPI. On other ranks it does nothing: nobody watches there, check() and valid() tell.
  void on_lost(std::function<void(LossReason)> callback);

  // Collective, cheap (three small collectives, no I/O): the root's verdict, the same on all ranks. When it is valid
  // every rank's deadline moves on to what the root knows. `released` after release() and close(). With
  // Policy::OnLoss::abort it does not return when the lease is lost.
  LeaseState check();

  // Collective, when every rank has written (and synced) its part: the root renames `finished` to `target` only if all
  // ranks have come and the lease is still in force, verified by a forced look; see rwlease::Lease::publish() for
  // errors and limits. When it returns, it is done; when it throws LeaseLost or UsageError, on all ranks alike, nothing
  // was renamed. All ranks name the same paths, which the root alone resolves.
  void publish(const std::filesystem::path& finished, const std::filesystem::path& target);

  // Collective: turns the write lease into a read lease with no gap in which another writer could come between, once
  // all ranks have come. Throws LeaseLost when it was not in force (the lease is over then), UsageError for a read
  // lease and for nested ones (the lease is as before).
  Lease downgrade() &&;

  // Collective: gives it back when all ranks have come; valid() is false on a rank from the moment it calls. When it
  // returns, the marker is gone. A second call does nothing and says already_lost.
  ReleaseResult release();

  // True when this object stands for a lease that was acquired and not released, in force or not.
  explicit operator bool() const noexcept;

 private:
  friend class Lock;
  friend class Request;
  Lease(std::shared_ptr<detail::Session> session, std::shared_ptr<detail::Hold> hold) noexcept;

  std::shared_ptr<detail::Session> session_;
  std::shared_ptr<detail::Hold> hold_;
};

// One rank's handle of an acquire under way, made by Lock::acquire_async(). Move-only. A default-constructed or
// moved-from one stands for nothing, and neither does one whose result was taken.
//
// The root waits for the lease on a thread of the library, which makes no MPI call; everything that the ranks tell each
// other moves on in test() and wait() alone. So call test() now and then, at least every few heartbeat intervals: the
// deadline that a rank starts with counts from its last call before the others had come.
//
//   auto request = lock.acquire_async(rwlease::Mode::write);
//   while (!request.test()) compute_a_little();  // no collectives in there: see test()
//   auto lease = request.wait();
//
// One request at a time for each Lock. Until it is finished on a rank, every other collective call on that Lock is
// refused there (UsageError, without communication), except close(), which cancels it; other locks are free.
//
// Destroying an unfinished request never communicates and never blocks: the root stops waiting for the lease and
// withdraws what it had published; if it was granted already, it is treated like a destroyed lease (see Lease). The
// other ranks learn of it when all have destroyed theirs, or when this rank makes its next collective call on the Lock,
// closes it or finalises MPI; until then they wait.
//
// Threads and fork: as for Lease.
class RWLEASE_EXPORT Request {
 public:
  Request() noexcept;
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;  // destroys what this object stood for
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();

  // Is it over, granted or failed? Never blocks, never does I/O. It may be true earlier on one rank than on another, as
  // with MPI_Test: ranks that communicate with each other while they test agree on the answer by themselves
  // (MPI_Allreduce), or one may leave the loop and miss the others' next message. Throws UsageError only.
  bool test();

  // Blocks until it is over. Returns the lease, or throws what Lock::acquire() throws, on all ranks alike. The object
  // stands for nothing afterwards.
  Lease wait();

  // Collective: ends it. When it returns, nothing is held, whatever had come of it. Ranks that call wait() meanwhile
  // get Cancelled, or a UsageError at their next call where it was granted before. It blocks until all ranks have come,
  // and while a call of the root's into the file system hangs. The object stands for nothing afterwards.
  void cancel();

  // True until the result was taken.
  explicit operator bool() const noexcept;

 private:
  friend class Lock;
  Request(std::shared_ptr<detail::Session> session, std::uint64_t ticket) noexcept;

  std::shared_ptr<detail::Session> session_;
  std::uint64_t ticket_ = 0;  // which of the session's acquires
};

// A lock on the name PATH (see rwlease::Lock), held by a communicator as one holder. Locks on different communicators,
// overlapping ones too, are independent: ranks that use several call them in the same order, or wait for each other for
// ever (for peer_timeout). Locks on one communicator are held against the same rule, but there another order is a
// UsageError.
//
// On the root the rules of reentrancy are those of rwlease::Lock, for acquire_async() too: a second acquire in the same
// mode is nested, one in the other mode is refused, on all ranks.
class RWLEASE_EXPORT Lock {
 public:
  // Collective over `communicator`, which is duplicated (errors of that one call go to its own error handler) and may
  // be freed afterwards. All ranks name the same path (as spelled), options, root and policy; the root alone resolves
  // the path.
  //
  // With more than one rank Options::sole and process_group are ignored: the lease outlives the root's process, because
  // the other ranks may. Options::ranks is set. Throws InvalidOptions, and UsageError for MPI_COMM_NULL, an
  // intercommunicator, and a root that is no rank.
  Lock(MPI_Comm communicator, const std::filesystem::path& name, const Options& options = {}, int root = 0,
       const Policy& policy = {});

  // Never communicates. Without close() the duplicated communicator stays until MPI_Finalize. Leases live on.
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Collective. Blocks until granted. `timeout` runs from the moment when all ranks have called; zero or less is one
  // try. Throws what rwlease::Lock::acquire() throws, on all ranks. The root's `cancel` counts, the others' are
  // ignored.
  Lease acquire(Mode mode, std::chrono::nanoseconds timeout = forever, const Cancel* cancel = nullptr);

  // Collective, but does not block: begins an acquire, which the application waits for beside its own work. It counts
  // as acquire(): what is thrown is thrown by Request::wait(), except UsageError for what a rank sees alone. `timeout`
  // runs from the moment when the root has seen that all ranks have called.
  Request acquire_async(Mode mode, std::chrono::nanoseconds timeout = forever);

  // Collective. One try: empty when somebody is in the way.
  std::optional<Lease> try_acquire(Mode mode);

  // Collective and final: cancels a request under way, gives back every lease of this lock (valid() is false from the
  // moment of the call) and frees the lock's communicator. A second call does nothing; acquire() throws UsageError from
  // now on.
  void close();

  int rank() const noexcept;
  int size() const noexcept;
  int root() const noexcept;
  const std::filesystem::path& name() const noexcept;

 private:
  std::shared_ptr<detail::Session> session_;
};

}  // namespace rwlease::mpi
