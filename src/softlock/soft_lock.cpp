#include <rwlease/softlock.hpp>

#include "lock/lock_name.hpp"
#include "log.hpp"
#include "protocol/failure.hpp"
#include "protocol/lock_directory.hpp"
#include "runtime/batch_job.hpp"
#include "runtime/fork.hpp"
#include "runtime/runtime.hpp"
#include "softlock/acquisition.hpp"
#include "softlock/leftovers.hpp"
#include "softlock/owner.hpp"
#include "softlock/tenure.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace rwlease {
namespace {

using softlock::Nanoseconds;
using softlock::Scene;
using softlock::Tenure;
using SharedOptions = std::shared_ptr<const SoftLockOptions>;

constexpr const char* taking = "taking lock";

// An owner that promised nothing is in force as long as it lives.
constexpr Nanoseconds for_ever = std::chrono::hours(24 * 365 * 100);

Nanoseconds nanoseconds(SoftLockOptions::Seconds duration) {
  return std::chrono::duration_cast<Nanoseconds>(std::min(duration, SoftLockOptions::Seconds(1e9)));
}

void tell_log(const SoftLockOptions& options, protocol::Severity severity, const std::string& line) noexcept {
  const LogLevel level = severity == protocol::Severity::warning ? LogLevel::warning
                         : severity == protocol::Severity::info  ? LogLevel::info
                                                                 : LogLevel::debug;
  if (!options.log) return log_line(level, line);
  try {
    options.log(level, line);
  } catch (...) {
    // The callback's trouble is not the lock's.
  }
}

void tell_failure(const SoftLockOptions& options, const Error& error) noexcept {
  try {
    if (options.on_failure) options.on_failure(error);
  } catch (...) {
    tell_log(options, protocol::Severity::warning,
             "a callback that was told '" + std::string(error.what()) +
                 "' threw, which is ignored: " + text_of_current_exception());
  }
}

protocol::Record record_of(const SoftLockOptions& options, const fs::Host& host) {
  const auto process = options.process == 0 ? host.self() : host.identify(options.process);
  if (!process) {
    throw InvalidOptions("checking soft lock options", "", "there is no process " + std::to_string(options.process));
  }
  protocol::Record record;
  record.host = host.name();
  record.process = *process;
  record.uid = host.user();
  record.sole = options.sole;
  // Rounded up: others wait at least as long as this owner counts on it.
  record.lease = std::chrono::ceil<std::chrono::milliseconds>(options.stale);
  record.job = runtime::batch_job();
  record.label = options.label;
  return record;
}

Scene scene_of(const SharedOptions& options, const std::string& entry, const Tenure::Base& base) {
  runtime::Runtime& runtime = runtime::Runtime::get();
  Scene scene;
  scene.name = entry;
  scene.stale = nanoseconds(options->stale);
  scene.foreign_stale = nanoseconds(options->foreign_stale);
  scene.poll = nanoseconds(options->poll);
  scene.by_file_age = options->stale_rule == StaleRule::file_age;
  scene.single_host = options->single_host;
  const Nanoseconds lease = scene.stale == Nanoseconds(0) ? for_ever : scene.stale;
  scene.site.directory = base.opened.get();
  scene.site.clock = &runtime.clock();
  scene.site.host = &runtime.host();
  scene.site.ledger = base.ledger.get();
  scene.site.marker_kind = protocol::MarkerKind::file;
  scene.site.trust_proof_of_death = options->trust_proof_of_death;
  scene.site.terms = {nanoseconds(options->heartbeat), lease, lease / 10};
  scene.site.self = std::make_shared<const protocol::Record>(record_of(*options, runtime.host()));
  scene.site.log = [options](protocol::Severity severity, const std::string& line) {
    tell_log(*options, severity, line);
  };
  return scene;
}

// Whose it is that was seen; nothing when it is nobody's.
std::optional<LockOwner> owner_of(const softlock::Sighting& seen) {
  if (seen.standing == softlock::Standing::gone) return std::nullopt;
  return softlock::describe(seen, runtime::Runtime::get().host());
}

void check_entry(const std::filesystem::path& path) {
  constexpr std::size_t longest_name = 255;
  const std::string entry = path.filename().string();
  if (entry.size() > longest_name) {
    throw InvalidOptions("checking lock name", path.string(), "a file's name has at most 255 bytes");
  }
  if (protocol::starts_with(entry, softlock::own_prefix)) {
    throw InvalidOptions("checking lock name", path.string(), "names with this beginning are the library's own");
  }
}

}  // namespace

// What a SoftLock knows in one process. A forked child makes its own, without touching the mutex of its parent's.
struct SoftLockState {
  const std::uint64_t generation = runtime::generation();
  Tenure::Base base;
  Scene scene;
  std::mutex mutex;  // guards all below; never held during I/O
  std::condition_variable changed;
  bool busy = false;  // somebody takes it, holds it or gives it back
  std::shared_ptr<Tenure> tenure;
};

class SoftLock::Impl {
 public:
  Impl(const std::filesystem::path& name_in, SoftLockOptions options_in);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  LockResult acquire(const softlock::Wanted& wanted);
  softlock::Wanted wanted() const;
  ReleaseResult release();
  void release_quietly() noexcept;
  void leave();
  bool adopt();
  std::shared_ptr<Tenure> tenure() const;
  std::unique_ptr<softlock::Claim> probe() const { return softlock::make_claim(options->primitive, state().scene); }

  // Calls it; what it throws is told before it goes on.
  template <class Call>
  auto telling(Call call) const {
    try {
      return call();
    } catch (const Error& error) {
      tell_failure(*options, error);
      throw;
    }
  }

  const SharedOptions options;
  const std::filesystem::path name;
  const std::filesystem::path path;

 private:
  std::unique_ptr<SoftLockState> make_state() const;
  SoftLockState& state() const;
  bool wait_for_turn(SoftLockState& here, const softlock::Wanted& wanted) const;
  LockResult acquire_in_turn(SoftLockState& here, const softlock::Wanted& wanted);
  void begin(SoftLockState& here, std::unique_ptr<softlock::Claim> claim);
  static std::shared_ptr<Tenure> end(SoftLockState& here);
  static void free(SoftLockState& here);

  const std::uint64_t born_ = runtime::generation();
  mutable std::atomic<SoftLockState*> state_{nullptr};
};

SoftLock::Impl::Impl(const std::filesystem::path& name_in, SoftLockOptions options_in)
    : options((options_in.validate(), std::make_shared<const SoftLockOptions>(std::move(options_in)))),
      name(resolved_lock_name(name_in)),
      path(name.string() + options->effective_suffix()) {
  check_entry(path);
  state_.store(make_state().release());
}

SoftLock::Impl::~Impl() {
  release_quietly();
  SoftLockState* state = state_.load();
  if (state->generation == runtime::generation()) delete state;  // an ancestor's is left alone
}

std::unique_ptr<SoftLockState> SoftLock::Impl::make_state() const {
  fs::FileSystem& file_system = runtime::Runtime::get().file_system();
  const std::string parent = protocol::split(path.string()).parent;
  auto fresh = std::make_unique<SoftLockState>();
  std::unique_ptr<fs::Directory> opened;
  const fs::Result result = file_system.open(parent, opened);
  if (result.absent()) {
    throw Error(taking, path.string(), result.text() + " (its directory must exist)", result.code());
  }
  if (!result.ok()) protocol::fail("opening directory", parent, result);
  const fs::Result writable = file_system.check_writable(parent);
  if (!writable.ok()) {
    throw Error(taking, path.string(), writable.text() + " (its directory must be writable)", writable.code());
  }
  fresh->base = {std::move(opened), std::make_shared<protocol::Ledger>()};
  fresh->scene = scene_of(options, path.filename().string(), fresh->base);
  return fresh;
}

SoftLockState& SoftLock::Impl::state() const {
  SoftLockState* existing = state_.load();
  if (existing->generation == runtime::generation()) return *existing;
  auto fresh = make_state();
  if (!state_.compare_exchange_strong(existing, fresh.get())) return *existing;
  return *fresh.release();
}

softlock::Wanted SoftLock::Impl::wanted() const {
  softlock::Wanted wanted;
  wanted.tries = options->tries;
  if (options->timeout) wanted.deadline = Deadline::after(*options->timeout);
  return wanted;
}

std::shared_ptr<Tenure> SoftLock::Impl::tenure() const {
  SoftLockState& here = state();
  const std::lock_guard<std::mutex> guard(here.mutex);
  return here.tenure;
}

// Threads that share the object take turns. False when the time is over.
bool SoftLock::Impl::wait_for_turn(SoftLockState& here, const softlock::Wanted& wanted) const {
  constexpr std::chrono::milliseconds slice(50);  // a Cancel tells no condition variable
  std::unique_lock<std::mutex> lock(here.mutex);
  if (here.tenure && here.tenure->thread == runtime::this_thread()) {
    throw UsageError(taking, path.string(), "this thread holds it already");
  }
  while (here.busy) {
    if (wanted.cancel != nullptr && wanted.cancel->cancelled()) {
      throw Cancelled(taking, path.string(), "cancelled while waiting");
    }
    const bool once = wanted.deadline.is_now() || wanted.tries == 1;
    if (once || (!wanted.deadline.is_forever() && Deadline::Clock::now() >= wanted.deadline.when())) return false;
    here.changed.wait_for(lock, slice, [&here] { return !here.busy; });
  }
  here.busy = true;
  return true;
}

LockResult SoftLock::Impl::acquire(const softlock::Wanted& wanted) {
  SoftLockState& here = state();
  if (!wait_for_turn(here, wanted)) return {false, owner_of(probe()->sight())};
  try {
    LockResult result = acquire_in_turn(here, wanted);
    if (!result) free(here);
    return result;
  } catch (...) {
    free(here);
    throw;
  }
}

LockResult SoftLock::Impl::acquire_in_turn(SoftLockState& here, const softlock::Wanted& wanted) {
  auto claim = softlock::make_claim(options->primitive, here.scene);
  if (!softlock::Acquisition(here.scene, *claim, wanted).run()) return {false, owner_of(claim->in_the_way())};
  const bool crashed_before = claim->cleared();
  begin(here, std::move(claim));
  if (crashed_before) softlock::sweep_leftovers(here.scene);
  return {true, {}};
}

void SoftLock::Impl::begin(SoftLockState& here, std::unique_ptr<softlock::Claim> claim) {
  auto tenure = std::make_shared<Tenure>(here.base, here.scene, std::move(claim),
                                         [options = options](const Error& error) { tell_failure(*options, error); });
  try {
    tenure->start();
  } catch (...) {
    tenure->give_back();
    throw;
  }
  const std::lock_guard<std::mutex> guard(here.mutex);
  here.tenure = std::move(tenure);
}

std::shared_ptr<Tenure> SoftLock::Impl::end(SoftLockState& here) {
  const std::lock_guard<std::mutex> guard(here.mutex);
  return std::exchange(here.tenure, nullptr);
}

void SoftLock::Impl::free(SoftLockState& here) {
  const std::lock_guard<std::mutex> guard(here.mutex);
  here.busy = false;
  here.changed.notify_one();
}

ReleaseResult SoftLock::Impl::release() {
  if (state_.load()->generation != runtime::generation()) return ReleaseResult::invalid_after_fork;
  SoftLockState& here = state();
  const auto tenure = end(here);
  if (!tenure) {
    if (born_ != runtime::generation()) return ReleaseResult::invalid_after_fork;
    throw UsageError("unlocking", path.string(), "this object does not hold it");
  }
  try {
    const bool in_force = tenure->give_back();
    free(here);
    return in_force ? ReleaseResult::released : ReleaseResult::already_lost;
  } catch (...) {
    free(here);
    throw;
  }
}

void SoftLock::Impl::release_quietly() noexcept {
  SoftLockState* here = state_.load();
  if (here->generation != runtime::generation()) return;
  const auto tenure = end(*here);
  if (!tenure) return;
  try {
    tenure->give_back();
  } catch (const Error& error) {
    tell_failure(*options, error);
  }
}

void SoftLock::Impl::leave() {
  SoftLockState& here = state();
  const auto tenure = end(here);
  if (!tenure) throw UsageError("leaving lock", path.string(), "this object does not hold it");
  tenure->leave();
  free(here);
}

bool SoftLock::Impl::adopt() {
  SoftLockState& here = state();
  if (!wait_for_turn(here, {})) return false;
  try {
    auto claim = softlock::make_claim(options->primitive, here.scene);
    const bool ours = claim->adopt();
    if (ours) begin(here, std::move(claim));
    if (!ours) free(here);
    return ours;
  } catch (...) {
    free(here);
    throw;
  }
}

SoftLock::SoftLock(const std::filesystem::path& name, SoftLockOptions options)
    : impl_(std::make_unique<Impl>(name, std::move(options))) {}

SoftLock::~SoftLock() = default;

void SoftLock::lock() {
  impl_->telling([this] {
    const LockResult result = impl_->acquire(impl_->wanted());
    if (result) return;
    const std::string owner = result.owner ? "; it is held by " + to_string(*result.owner) : "";
    const char* what = impl_->options->tries != 0 ? "the tries are over" : "the timeout passed";
    throw LockBusy(taking, impl_->path.string(), what + owner, result.owner);
  });
}

bool SoftLock::try_lock() { return acquire(Deadline::now()).locked; }

LockResult SoftLock::acquire(const Cancel* cancel) {
  return impl_->telling([&] {
    softlock::Wanted wanted = impl_->wanted();
    wanted.cancel = cancel;
    return impl_->acquire(wanted);
  });
}

LockResult SoftLock::acquire(Deadline deadline, const Cancel* cancel) {
  return impl_->telling([&] { return impl_->acquire({deadline, 0, cancel}); });
}

ReleaseResult SoftLock::release() {
  return impl_->telling([this] { return impl_->release(); });
}

bool SoftLock::locked() const {
  const auto tenure = impl_->tenure();
  return tenure && tenure->mine();
}

bool SoftLock::valid() const noexcept {
  try {
    const auto tenure = impl_->tenure();
    return tenure && tenure->valid();
  } catch (const Error&) {
    return false;  // a child that could not open the directory for itself holds nothing
  }
}

bool SoftLock::touch() {
  const auto tenure = impl_->tenure();
  return tenure && tenure->touch();
}

std::optional<LockOwner> SoftLock::owner() const { return owner_of(impl_->probe()->sight()); }

bool SoftLock::release_dead() {
  const auto claim = impl_->probe();
  const auto seen = claim->sight();
  return seen.standing != softlock::Standing::gone && seen.proven && claim->clear(seen) == softlock::Removal::removed;
}

bool SoftLock::break_lock() {
  constexpr int tries = 100;
  const auto claim = impl_->probe();
  bool removed = false;
  for (int i = 0; i < tries; ++i) {
    const auto seen = claim->sight();
    if (seen.standing == softlock::Standing::gone) return removed;
    // A lock that others took since is another lock.
    if (removed && seen.content.record) return true;
    switch (claim->clear(seen)) {
      case softlock::Removal::removed:
        removed = true;
        if (seen.path == impl_->path.filename()) return true;
        break;
      case softlock::Removal::failed:
        throw Error("breaking lock", impl_->path.string(), "the file system refuses, or is too slow");
      case softlock::Removal::changed:
        break;
      case softlock::Removal::busy:  // nothing tells when the other is done
        runtime::Runtime::get().threads().sleep(std::chrono::milliseconds(100));
        break;
    }
  }
  throw Error("breaking lock", impl_->path.string(), "it keeps changing, or somebody else is removing it");
}

void SoftLock::leave() { impl_->leave(); }
bool SoftLock::adopt() { return impl_->adopt(); }

const std::filesystem::path& SoftLock::name() const noexcept { return impl_->name; }
const std::filesystem::path& SoftLock::path() const noexcept { return impl_->path; }
const SoftLockOptions& SoftLock::options() const noexcept { return *impl_->options; }

}  // namespace rwlease
