#include "session.hpp"

#include "environment.hpp"
#include "fingerprint.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace rwlease::mpi::detail {
namespace {

// What the root tells about a lease at one moment. No padding: it is sent as bytes.
struct Standing {
  LeaseState state = LeaseState::released;
  std::int32_t unused = 0;
  std::int64_t remaining_ns = 0;
};

constexpr const char* constructing = "making a lock on";
constexpr const char* acquiring_read = "acquiring read lease on";
constexpr const char* acquiring_write = "acquiring write lease on";
constexpr const char* checking = "checking the lease on";
constexpr const char* publishing = "publishing under the lease on";
constexpr const char* releasing = "releasing the lease on";
constexpr const char* closing = "closing the lock on";

const char* acquiring(Mode mode) noexcept { return mode == Mode::read ? acquiring_read : acquiring_write; }

// The other ranks may outlive the root's process and be on other hosts, so its death proves nothing about them.
Options for_ranks(Options options, int ranks) {
  options.ranks = ranks;
  if (ranks > 1) {
    options.sole = false;
    options.process_group = 0;
  }
  return options;
}

// State and time left, read in this order: a lease that ends in between has no time left.
Standing standing_of(const rwlease::Lease& lease) noexcept {
  Standing standing;
  standing.state = lease.state();
  if (standing.state == LeaseState::valid) standing.remaining_ns = lease.remaining().count();
  return standing;
}

std::chrono::nanoseconds not_negative(std::chrono::nanoseconds duration) noexcept {
  return std::max(duration, std::chrono::nanoseconds::zero());
}

Deadline deadline_after(std::chrono::nanoseconds timeout) {
  return timeout == forever ? Deadline::forever() : Deadline::after(timeout);
}

std::uint64_t fingerprint_of(const std::filesystem::path& path) { return fingerprint(path.native()); }

}  // namespace

std::shared_ptr<Session> Session::open(MPI_Comm communicator, const std::filesystem::path& name, const Options& options,
                                       int root) {
  require_mpi(constructing, name.string());
  require_intracommunicator(communicator, name.string());
  auto session = std::make_shared<Session>(communicator, name, options, root);
  enroll(session);
  try {
    session->establish(options);
  } catch (const MpiError&) {
    withdraw(*session);
    throw;
  } catch (...) {  // on all ranks alike
    withdraw(*session);
    session->communicator_.free();
    throw;
  }
  return session;
}

Session::Session(MPI_Comm communicator, const std::filesystem::path& name, const Options& options, int root)
    : name_(name),
      path_(name.string()),
      margin_(options.effective_margin()),
      root_(root),
      process_(getpid()),
      communicator_(communicator, path_) {}

void Session::establish(const Options& options) {
  agree_on({Call::construct, {static_cast<std::uint64_t>(root_), fingerprint_of(name_), fingerprint(options)}});
  if (root_ < 0 || root_ >= size()) {
    throw UsageError(constructing, path_,
                     "root " + std::to_string(root_) + " is no rank of this communicator, which has " +
                         std::to_string(size()) + " (0 to " + std::to_string(size() - 1) + ")");
  }
  act(constructing, [&](Result&) { core_.emplace(name_, for_ranks(options, size())); });
}

void Session::enter(const char* operation) const {
  if (getpid() != process_) throw UsageError(operation, path_, "this is a forked child; the lock is its parent's");
  require_mpi(operation, path_);
  if (closed_) throw UsageError(operation, path_, "the lock is closed");
}

void Session::agree_on(Ballot ballot) {
  ballot.oldest_lease = oldest_lease();
  give_back_abandoned(Agreement(communicator_, ballot, path_).conclude());
}

// This rank stops working under the leases before the others, and so the root, can learn that it has come.
void Session::agree_to_stop(const std::vector<Hold*>& holds, const Ballot& ballot) {
  for (Hold* hold : holds) hold->set_over(true);
  try {
    agree_on(ballot);
  } catch (const UsageError&) {  // nobody stops
    for (Hold* hold : holds) hold->set_over(false);
    throw;
  }
}

// The root takes the step; its result, or what it threw, is shared.
template <class Step>
Result Session::act(const char* operation, Step&& step) {
  Result result;
  if (is_root()) result.run(operation, path_, [&] { step(result); });
  share(communicator_, root_, result);
  result.throw_if_error();
  return result;
}

std::shared_ptr<Hold> Session::acquire(Mode mode, std::chrono::nanoseconds timeout, const Cancel* cancel) {
  return obtain({Call::acquire, mode, not_negative(timeout)}, [&]() -> std::optional<rwlease::Lease> {
    return core_->acquire(mode, deadline_after(timeout), cancel);
  });
}

std::shared_ptr<Hold> Session::try_acquire(Mode mode) {
  return obtain({Call::try_acquire, mode, {}}, [&] { return core_->try_acquire(mode); });
}

// Until extend() no rank takes the lease for valid, so up to there the root may give it back on its own.
template <class Take>
std::shared_ptr<Hold> Session::obtain(const Attempt& attempt, Take&& take) {
  const char* operation = acquiring(attempt.mode);
  enter(operation);
  auto hold = prepare(attempt.mode);
  Ballot ballot{attempt.call,
                {static_cast<std::uint64_t>(attempt.mode), static_cast<std::uint64_t>(attempt.timeout.count())}};
  ballot.able = hold != nullptr;
  agree_on(ballot);
  hold->serial = next_serial_++;
  const Result result = act(operation, [&](Result& own) {
    std::optional<rwlease::Lease> lease = take();
    if (!lease) {
      own.record.outcome = ResultRecord::Outcome::refused;
      return;
    }
    hold->core = std::move(*lease);
    own.record.fence = hold->core.fence();
  });
  if (result.record.outcome == ResultRecord::Outcome::refused) return nullptr;
  hold->fence = result.record.fence;
  holds_.push_back(hold);
  try {
    extend(*hold);
  } catch (...) {
    abandon(*hold);
    throw;
  }
  return hold;
}

// Null when there is no memory: the ranks are told when they agree.
std::shared_ptr<Hold> Session::prepare(Mode mode) noexcept {
  try {
    holds_.reserve(holds_.size() + 1);
    return std::make_shared<Hold>(mode);
  } catch (...) {
    return nullptr;
  }
}

LeaseState Session::check(Hold& hold) {
  if (hold.over()) return LeaseState::released;
  enter(checking);
  agree_on({Call::check, {hold.serial}});
  return extend(hold);
}

// A barrier of its own, although the ranks have just agreed: agreeing may have taken as long as the slowest rank took
// to come, and clocks read before that would give the early ranks deadlines that have all but passed.
LeaseState Session::extend(Hold& hold) {
  Standing standing;
  const Instant before = Instant::now();
  communicator_.barrier();
  if (is_root()) {
    standing = standing_of(hold.core);
    hold.relied_on_until = Instant::now().boot + standing.remaining_ns + margin_.count();
  }
  communicator_.broadcast(&standing, sizeof standing, root_);
  const std::chrono::nanoseconds left(standing.remaining_ns);
  if (is_root()) return standing.state;
  if (standing.state == LeaseState::valid) {
    hold.deadline.grant(before, left, margin_);
  } else {
    hold.deadline.revoke();
  }
  return standing.state;
}

void Session::publish(Hold& hold, const std::filesystem::path& finished, const std::filesystem::path& target) {
  if (hold.over()) throw LeaseLost(publishing, path_, "the lease was released");
  enter(publishing);
  agree_on({Call::publish, {hold.serial, fingerprint_of(finished), fingerprint_of(target)}});
  act(publishing, [&](Result&) { hold.core.publish(finished, target); });
}

ReleaseResult Session::release(Hold& hold) {
  if (hold.over()) return ReleaseResult::already_lost;
  enter(releasing);
  agree_to_stop({&hold}, {Call::release, {hold.serial}});
  const auto give_back = [&](Result& own) { own.record.release_result = hold.core.release(); };
  const Result result = act(releasing, give_back);
  drop(hold);
  return result.record.release_result;
}

void Session::close() {
  if (closed_) return;
  enter(closing);
  agree_to_stop(all_holds(), {Call::close});
  closed_ = true;
  act(closing, [&](Result&) {
    give_back_everything();
    core_.reset();
  });
  holds_.clear();
  communicator_.free();
  withdraw(*this);
}

// The communicator is left to MPI_Finalize: freeing it could wait for ranks that finalise their locks in another order.
AtFinalize::Progress Session::finalize() noexcept {
  if (closed_ || getpid() != process_) return Progress::done;
  if (broken_) return Progress::kept;
  for (const auto& hold : holds_) hold->set_over(true);
  try {
    if (!all_finalize()) return Progress::busy;
  } catch (...) {  // what the root holds it keeps, since nobody knows whether the others have stopped
    broken_ = true;
    return Progress::kept;
  }
  closed_ = true;
  give_back_everything();
  return Progress::done;
}

// Without waiting: do all ranks finalise? Those still in another call are told so, and come to this later.
bool Session::all_finalize() {
  if (!finalizing_) finalizing_.emplace(communicator_, Ballot{Call::finalize}, path_);
  if (!finalizing_->complete()) return false;
  try {
    finalizing_->conclude();
  } catch (const UsageError&) {
    finalizing_.reset();
    return false;
  }
  return true;
}

void Session::abandon(Hold& hold) noexcept {
  hold.abandoned = true;
  if (!is_relied_on(hold)) drop(hold);
}

bool Session::is_relied_on(const Hold& hold) const noexcept {
  return is_root() && size() > 1 && !closed_ && Instant::now().boot < hold.relied_on_until;
}

std::vector<Hold*> Session::all_holds() const {
  std::vector<Hold*> all;
  all.reserve(holds_.size());
  for (const auto& hold : holds_) all.push_back(hold.get());
  return all;
}

// Holds are in the order of their serial numbers.
std::uint64_t Session::oldest_lease() const noexcept {
  const auto oldest = std::find_if(holds_.begin(), holds_.end(), [](const auto& hold) { return !hold->abandoned; });
  return oldest == holds_.end() ? Ballot::no_lease : (*oldest)->serial;
}

void Session::give_back_abandoned(std::uint64_t oldest_lease_anywhere) noexcept {
  const auto nobody_needs = [&](const std::shared_ptr<Hold>& hold) {
    return hold->abandoned && (hold->serial < oldest_lease_anywhere || !is_relied_on(*hold));
  };
  holds_.erase(std::remove_if(holds_.begin(), holds_.end(), nobody_needs), holds_.end());
}

void Session::give_back_everything() noexcept {
  for (const auto& hold : holds_) hold->core.release();
  holds_.clear();
}

void Session::drop(const Hold& hold) noexcept {
  const auto is_it = [&](const std::shared_ptr<Hold>& one) { return one.get() == &hold; };
  holds_.erase(std::remove_if(holds_.begin(), holds_.end(), is_it), holds_.end());
}

}  // namespace rwlease::mpi::detail
