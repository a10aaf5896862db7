#include "session.hpp"

#include "environment.hpp"
#include "fingerprint.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace rwlease::mpi::detail {
namespace {

constexpr const char* constructing = "making a lock on";
constexpr const char* checking = "checking the lease on";
constexpr const char* publishing = "publishing under the lease on";
constexpr const char* downgrading = "downgrading the lease on";
constexpr const char* releasing = "releasing the lease on";
constexpr const char* closing = "closing the lock on";

// The other ranks may outlive the root's process and be on other hosts, so its death proves nothing about them.
Options for_ranks(Options options, int ranks) {
  options.ranks = ranks;
  if (ranks > 1) {
    options.sole = false;
    options.process_group = 0;
  }
  return options;
}

std::chrono::nanoseconds not_negative(std::chrono::nanoseconds duration) noexcept {
  return std::max(duration, std::chrono::nanoseconds::zero());
}

std::uint64_t fingerprint_of(const std::filesystem::path& path) { return fingerprint(path.native()); }

bool is_usable(const Policy& policy) noexcept { return policy.peer_timeout >= std::chrono::milliseconds(1); }

// One that is not usable is refused when all ranks have agreed on it, on all alike; until then it bounds nothing.
std::chrono::nanoseconds limit_of(const Policy& policy) noexcept {
  return is_usable(policy) ? policy.peer_timeout : forever;
}

void require_valid(const Policy& policy, const std::string& path) {
  if (is_usable(policy)) return;
  throw InvalidOptions("checking policy", path, "peer_timeout is less than 1 ms: no rank can come in that time");
}

}  // namespace

const char* Session::acquiring(Mode mode) noexcept {
  return mode == Mode::read ? "acquiring read lease on" : "acquiring write lease on";
}

std::shared_ptr<Session> Session::open(MPI_Comm communicator, const std::filesystem::path& name, const Options& options,
                                       int root, const Policy& policy) {
  require_mpi(constructing, name.string());
  require_intracommunicator(communicator, name.string());
  auto team = Team::of(communicator, name.string(), limit_of(policy));
  auto session = std::make_shared<Session>(team, name, options, root, policy);
  try {
    session->establish(options);
  } catch (const MpiError&) {
    team->keep(session);
    throw;
  } catch (...) {  // on all ranks alike
    session->communicator_.free();
    throw;
  }
  return session;
}

Session::Session(std::shared_ptr<Team> team, const std::filesystem::path& name, const Options& options, int root,
                 const Policy& policy)
    : name_(name),
      path_(name.string()),
      margin_(options.effective_margin()),
      root_(root),
      policy_(policy),
      peer_limit_(limit_of(policy)),
      process_(getpid()),
      team_(std::move(team)),
      number_(team_->next_number()) {}

void Session::establish(const Options& options) {
  enter(constructing);
  agree_to_construct(options);
  const int ranks = team_->communicator().size();
  if (root_ < 0 || root_ >= ranks) {
    throw UsageError(constructing, path_,
                     "root " + std::to_string(root_) + " is no rank of this communicator, which has " +
                         std::to_string(ranks) + " (0 to " + std::to_string(ranks - 1) + ")");
  }
  communicator_.duplicate(team_->communicator().handle(), path_, peer_limit_);
  open_core(options);
  team_->join(shared_from_this());
}

// Where the paths differ the error is rank 0's, path included, so that it is the same everywhere.
void Session::agree_to_construct(const Options& options) {
  const std::uint64_t rules = fingerprint(options) ^ fingerprint(policy_);
  try {
    agree_on(ballot(Call::construct, {static_cast<std::uint64_t>(root_), fingerprint_of(name_), rules}), constructing);
  } catch (const UsageError&) {
    if (!agreement_->same_call()) throw;
    result_.clear();
    if (team_->communicator().rank() == 0) result_.run(constructing, path_, [] { throw; });
    telling_.emplace(team_->communicator(), 0, result_);
    wait([this] { return telling_->complete(); }, constructing, peer_limit_);
    result_.throw_if_error();
  }
}

void Session::open_core(const Options& options) {
  act(constructing, [&](Result& own) {
    require_valid(policy_, path_);
    core_.emplace(name_, for_ranks(options, size()));
    own.add_text(core_->directory().native());
  });
  lock_directory_ = result_.text();
}

void Session::enter(const char* operation) const {
  require_callable(operation);
  if (team_->roll_call().given_up()) {
    throw PeerTimeout(operation, path_, "the ranks of this communicator have given up waiting for each other before");
  }
}

void Session::require_callable(const char* operation) const {
  if (getpid() != process_) throw UsageError(operation, path_, "this is a forked child; the lock is its parent's");
  require_mpi(operation, path_);
  if (closed_) throw UsageError(operation, path_, "the lock is closed");
}

// A request that this rank has dropped is brought to its end first, in which the other ranks need it.
void Session::settle_abandoned(const char* operation) {
  if (!acquire_) return;
  if (!acquire_->abandoned()) {
    throw UsageError(operation, path_, "a request for this lock is not finished; wait for it or cancel it first");
  }
  try {
    const auto hold = finish();
    if (hold) abandon(*hold);
  } catch (const MpiError&) {
    throw;
  } catch (const std::exception&) {
    // What came of it nobody wants to know.
  }
}

Ballot Session::ballot(Call call, const std::array<std::uint64_t, 3>& arguments) const noexcept {
  Ballot ballot{call, number_, arguments};
  ballot.oldest_lease = oldest_lease();
  return ballot;
}

void Session::begin_to_agree(const Ballot& ballot) { agreement_.emplace(team_->communicator(), ballot); }

// A rank that comes late finds the others' votes already cast, and must not go on when they have left.
void Session::conclude_agreement(const char* operation) {
  if (peer_limit_ != forever) look_for_the_others(operation, {}, forever);
  const auto name_of = [this](std::uint32_t number) { return team_->name_of(number); };
  give_back_abandoned(agreement_->conclude(path_, name_of));
}

void Session::agree_on(const Ballot& ballot, const char* operation) {
  begin_to_agree(ballot);
  wait([this] { return agreement_->complete(); }, operation, peer_limit_);
  conclude_agreement(operation);
}

// This rank stops working under the leases before the others, and so the root, can learn that it has come.
void Session::agree_to_stop(const std::vector<Hold*>& holds, const Ballot& ballot, const char* operation) {
  for (Hold* hold : holds) hold->set_over(true);
  try {
    agree_on(ballot, operation);
  } catch (const UsageError&) {  // nobody stops
    for (Hold* hold : holds) hold->set_over(false);
    throw;
  }
}

template <class Complete>
void Session::wait(Complete&& complete, const char* operation, std::chrono::nanoseconds limit) {
  team_->wait(std::forward<Complete>(complete), operation, path_, limit);
}

void Session::look_for_the_others(const char* operation, std::chrono::nanoseconds waited,
                                  std::chrono::nanoseconds limit) {
  team_->roll_call().look({operation, path_, waited, limit});
}

// The root takes the step; its result, or what it threw, is told to all. What the root does has no limit.
template <class Step>
const Result& Session::act(const char* operation, Step&& step) {
  result_.clear();
  if (is_root()) result_.run(operation, path_, [&] { step(result_); });
  begin_to_tell();
  wait([this] { return telling_->complete(); }, operation, forever);
  result_.throw_if_error();
  return result_;
}

LeaseState Session::extend(Hold& hold, const char* operation) {
  begin_to_extend(hold);
  wait([this] { return extension_->complete(); }, operation, peer_limit_);
  return extension_->verdict();
}

std::shared_ptr<Hold> Session::acquire(Mode mode, std::chrono::nanoseconds timeout, const Cancel* cancel) {
  enter(acquiring(mode));
  settle_abandoned(acquiring(mode));
  acquire_.emplace(*this, Attempt{Call::acquire, mode, not_negative(timeout), cancel, false});
  return finish();
}

std::shared_ptr<Hold> Session::try_acquire(Mode mode) {
  enter(acquiring(mode));
  settle_abandoned(acquiring(mode));
  acquire_.emplace(*this, Attempt{Call::try_acquire, mode, {}, nullptr, false});
  return finish();
}

// Waits for the acquire that is under way, and takes what came of it.
std::shared_ptr<Hold> Session::finish() {
  Patience patience;
  while (!acquire_->advance()) patience.pause();
  struct Taken {
    std::optional<Acquire>& acquire;
    ~Taken() { acquire.reset(); }
  } const taken{acquire_};
  return acquire_->outcome();
}

std::uint64_t Session::begin_acquire(Mode mode, std::chrono::nanoseconds timeout) {
  enter(acquiring(mode));
  settle_abandoned(acquiring(mode));
  acquire_.emplace(*this, Attempt{Call::acquire, mode, not_negative(timeout), nullptr, true});
  return ++last_ticket_;
}

// One that close() or MPI_Finalize has ended counts as over.
bool Session::test_acquire(std::uint64_t ticket) {
  if (ticket != last_ticket_ || !acquire_) return true;
  require_callable("testing a request for");
  return acquire_->advance();
}

std::shared_ptr<Hold> Session::finish_acquire(std::uint64_t ticket) {
  if (ticket != last_ticket_ || !acquire_) throw UsageError("waiting for a request for", path_, "it is over");
  return finish();
}

// Where it was granted before, the lease is given back; ranks that wait for it instead get out of step there.
void Session::cancel_acquire(std::uint64_t ticket) {
  if (ticket != last_ticket_ || !acquire_) return;
  acquire_->cancel();
  std::shared_ptr<Hold> hold;
  try {
    hold = finish();
  } catch (const MpiError&) {
    throw;
  } catch (const std::exception&) {
    // Cancelled, or it had failed by itself: nothing is held.
  }
  if (hold) release(*hold);
}

// A forked child leaves its parent's alone.
void Session::abandon_acquire(std::uint64_t ticket) noexcept {
  if (ticket == last_ticket_ && acquire_ && getpid() == process_) acquire_->abandon();
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
  settle_abandoned(checking);
  agree_on(ballot(Call::check, {hold.serial}), checking);
  const LeaseState verdict = extend(hold, checking);
  if (verdict == LeaseState::lost && policy_.on_loss == Policy::OnLoss::abort) {
    MPI_Abort(communicator_.handle(), exit_code_lost);
  }
  return verdict;
}

bool Session::verify(Hold& hold) noexcept {
  if (!hold.valid()) return false;
  if (is_root()) return hold.core.verify();
  if (stands_for_root(hold)) return hold.valid();
  hold.deadline.revoke();
  return false;
}

// The lock directory is opened anew when the marker is not where it was: it may have been removed and made again.
bool Session::stands_for_root(const Hold& hold) noexcept {
  try {
    const std::string marker(hold.marker.data());
    if (witness_ && witness_->look(marker) == Witness::Sight::stands) return true;
    witness_.emplace(lock_directory_);
    return witness_->look(marker) == Witness::Sight::stands;
  } catch (const std::exception&) {
    return false;
  }
}

void Session::publish(Hold& hold, const std::filesystem::path& finished, const std::filesystem::path& target) {
  if (hold.over()) throw LeaseLost(publishing, path_, "the lease was released");
  enter(publishing);
  settle_abandoned(publishing);
  agree_on(ballot(Call::publish, {hold.serial, fingerprint_of(finished), fingerprint_of(target)}), publishing);
  act(publishing, [&](Result&) { hold.core.publish(finished, target); });
}

// The readers' share replaces the writers'. From the agreement on no rank writes, so the root may give up writing.
std::shared_ptr<Hold> Session::downgrade(Hold& hold) {
  if (hold.over()) throw LeaseLost(downgrading, path_, "the lease was released");
  enter(downgrading);
  settle_abandoned(downgrading);
  auto reading = prepare(Mode::read);
  Ballot vote = ballot(Call::downgrade, {hold.serial});
  vote.able = reading != nullptr;
  agree_to_stop({&hold}, vote, downgrading);
  try {
    act(downgrading, [&](Result&) { reading->core = std::move(hold.core).downgrade(); });
  } catch (const LeaseLost&) {
    drop(hold);
    throw;
  } catch (const MpiError&) {
    throw;
  } catch (...) {  // it stands as before
    hold.set_over(false);
    throw;
  }
  reading->serial = next_serial_++;
  holds_.push_back(reading);
  drop(hold);
  extend(*reading, downgrading);
  return reading;
}

ReleaseResult Session::release(Hold& hold) {
  if (hold.over()) return ReleaseResult::already_lost;
  enter(releasing);
  settle_abandoned(releasing);
  agree_to_stop({&hold}, ballot(Call::release, {hold.serial}), releasing);
  const auto give_back = [&](Result& own) { own.record.release_result = hold.core.release(); };
  const ReleaseResult result = act(releasing, give_back).record.release_result;
  drop(hold);
  return result;
}

void Session::close() {
  if (closed_) return;
  enter(closing);
  if (acquire_) acquire_->abandon();
  settle_abandoned(closing);
  agree_to_stop(all_holds(), ballot(Call::close, {}), closing);
  closed_ = true;
  act(closing, [&](Result&) {
    give_back_everything();
    core_.reset();
  });
  holds_.clear();
  communicator_.free();
  const auto self = shared_from_this();
  team_->leave(*this);
}

void Session::stop_working() noexcept {
  for (const auto& hold : holds_) hold->set_over(true);
}

void Session::end() {
  if (acquire_) acquire_->abandon();
  settle_abandoned(closing);
  closed_ = true;
  give_back_everything();
}

void Session::end_alone() noexcept {
  closed_ = true;
  for (const auto& hold : holds_) hold->abandoned = true;
  give_back_abandoned(0);
}

void Session::abandon(Hold& hold) noexcept {
  hold.abandoned = true;
  if (!is_relied_on(hold)) drop(hold);
}

bool Session::is_relied_on(const Hold& hold) const noexcept {
  return is_root() && size() > 1 && Instant::now().boot < hold.relied_on_until;
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
