#include <rwlease/lock.hpp>

#include "lock/lock_name.hpp"
#include "log.hpp"
#include "protocol/failure.hpp"
#include "protocol/names.hpp"
#include "protocol/survey.hpp"
#include "runtime/acquisition.hpp"
#include "runtime/fork.hpp"
#include "runtime/hold.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace rwlease {
namespace {

using runtime::Hold;
using runtime::Instance;

std::string operation(Mode mode) { return "acquiring " + std::string(to_string(mode)) + " lease on"; }

Options checked(Options options) {
  options.validate();
  return options;
}

}  // namespace

// What a Lock knows in one process. A forked child makes its own, without touching the mutex of its parent's, which
// another thread may have held.
struct ProcessState {
  struct Taken {
    std::uint64_t thread;
    Lease lease;
  };

  const std::uint64_t generation = runtime::generation();
  std::mutex mutex;  // guards all below; never held during I/O
  std::shared_ptr<Instance> instance;
  bool neighbours_logged = false;
  std::vector<Taken> taken;  // through lock() and lock_shared()
};

class Lock::Impl {
 public:
  Impl(const std::filesystem::path& name_in, Options options_in)
      : name(resolved_lock_name(name_in)),
        directory(name.string() + protocol::directory_suffix),
        options(checked(std::move(options_in))) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Empty when the deadline passed; then `obstacle` says who was in the way.
  std::optional<Lease> acquire(Mode mode, Deadline deadline, const Cancel* cancel, std::string& obstacle);

  ProcessState& state();
  bool inherited() const noexcept { return born_ != runtime::generation(); }

  const std::filesystem::path name;
  const std::filesystem::path directory;
  const Options options;
  std::function<void(const Obstacle&)> on_waiting;

 private:
  std::shared_ptr<Instance> instance(const std::shared_ptr<Instance>& stale);
  std::optional<Lease> nest(Instance& instance, Mode mode) const;
  std::optional<Lease> try_on(const std::shared_ptr<Instance>& instance, const runtime::Wanted& wanted,
                              std::string& obstacle);
  void log_neighbours() const;

  const std::uint64_t born_ = runtime::generation();
  std::atomic<ProcessState*> state_{new ProcessState};
};

Lock::Impl::~Impl() {
  ProcessState* state = state_.load();
  if (state->generation == runtime::generation()) delete state;  // an ancestor's is left alone
}

ProcessState& Lock::Impl::state() {
  ProcessState* existing = state_.load();
  if (existing->generation == runtime::generation()) return *existing;
  auto fresh = std::make_unique<ProcessState>();
  if (!state_.compare_exchange_strong(existing, fresh.get())) return *existing;
  return *fresh.release();
}

// The process's state for the lock directory; opened anew when `stale` is what it was.
std::shared_ptr<Instance> Lock::Impl::instance(const std::shared_ptr<Instance>& stale) {
  ProcessState& here = state();
  {
    const std::lock_guard<std::mutex> guard(here.mutex);
    if (here.instance && here.instance != stale) return here.instance;
  }
  auto opened = runtime::Runtime::get().open(directory.string(), options, stale);
  bool first = false;
  {
    const std::lock_guard<std::mutex> guard(here.mutex);
    here.instance = opened;
    first = !std::exchange(here.neighbours_logged, true);
  }
  if (first && log_wanted()) log_neighbours();
  return opened;
}

void Lock::Impl::log_neighbours() const {
  for (const std::string& neighbour : protocol::find_neighbours(runtime::Runtime::get().file_system(), name.string())) {
    log_line(LogLevel::warning, neighbour + " belongs to another lock program that locks " + name.string() +
                                    " by another protocol: the two do not exclude each other");
  }
}

std::optional<Lease> Lock::Impl::acquire(Mode mode, Deadline deadline, const Cancel* cancel, std::string& obstacle) {
  // A lock directory that is removed while we acquire is opened anew: once for the removal, once for one more.
  constexpr int tries = 5;
  const runtime::Wanted wanted{mode, deadline, cancel, &on_waiting};
  std::shared_ptr<Instance> state;
  for (int i = 1;; ++i) {
    try {
      state = instance(state);
      return try_on(state, wanted, obstacle);
    } catch (const protocol::DirectoryGone& gone) {
      if (i == tries) {
        throw Error(operation(mode), directory.string(), std::string("it keeps vanishing: ") + gone.what(),
                    gone.code());
      }
      log_line(LogLevel::info, std::string(gone.what()) + "; opening it anew");
      // It may be a handle that is stale for a while.
      if (i > 1) runtime::Runtime::get().threads().sleep(options.poll_min * i);
    }
  }
}

std::optional<Lease> Lock::Impl::try_on(const std::shared_ptr<Instance>& instance, const runtime::Wanted& wanted,
                                        std::string& obstacle) {
  if (auto nested = nest(*instance, wanted.mode)) return nested;
  const protocol::Site site = instance->site(options);
  runtime::Acquisition acquisition(*instance, site, options, wanted);
  auto grant = acquisition.run();
  if (!grant) {
    obstacle = acquisition.obstacle_text();
    return std::nullopt;
  }
  return Lease(Hold::begin(instance, site, options, wanted.mode, std::move(*grant), runtime::this_thread()), 1);
}

std::optional<Lease> Lock::Impl::nest(Instance& instance, Mode mode) const {
  auto hold = instance.find_by_thread(runtime::this_thread());
  if (!hold) return std::nullopt;
  if (hold->mode() == Mode::read && mode == Mode::write) {
    throw UsageError(operation(mode), directory.string(),
                     "this thread holds a read lease, and two that upgrade would wait for each other for ever; "
                     "release it first");
  }
  if (hold->mode() == Mode::write && mode == Mode::read) {
    throw UsageError(operation(mode), directory.string(), "this thread holds the write lease; use downgrade()");
  }
  const bool others_join = (hold->options().sole && !options.sole) ||
                           (options.process_group != 0 && options.process_group != hold->options().process_group);
  if (others_join) {
    throw UsageError(operation(mode), directory.string(),
                     "this thread holds a lease for its process alone, and others are to work under this one");
  }
  if (!hold->valid() && !hold->released()) {
    throw LeaseLost(operation(mode), directory.string(), "the lease that this thread holds is no longer in force");
  }
  const auto object = hold->nest();
  if (!object) return std::nullopt;  // another thread releases it at this moment
  return Lease(std::move(hold), *object);
}

Lock::Lock(const std::filesystem::path& name, Options options)
    : impl_(std::make_unique<Impl>(name, std::move(options))) {}

Lock::~Lock() = default;

Lease Lock::acquire(Mode mode, Deadline deadline, const Cancel* cancel) {
  std::string obstacle;
  auto lease = impl_->acquire(mode, deadline, cancel, obstacle);
  if (!lease) throw Timeout(operation(mode), impl_->directory.string(), "the deadline passed" + obstacle);
  return std::move(*lease);
}

std::optional<Lease> Lock::try_acquire(Mode mode) {
  std::string obstacle;
  return impl_->acquire(mode, Deadline::now(), nullptr, obstacle);
}

void Lock::on_waiting(std::function<void(const Obstacle&)> callback) { impl_->on_waiting = std::move(callback); }

Status Lock::status() const {
  runtime::Runtime& runtime = runtime::Runtime::get();
  return protocol::survey(runtime.file_system(), runtime.host(), impl_->name.string(), impl_->directory.string());
}

const std::filesystem::path& Lock::name() const noexcept { return impl_->name; }
const std::filesystem::path& Lock::directory() const noexcept { return impl_->directory; }
const Options& Lock::options() const noexcept { return impl_->options; }

void Lock::lock() { take(Mode::write, Deadline::forever()); }
bool Lock::try_lock() { return take(Mode::write, Deadline::now()); }
void Lock::unlock() { give_back(Mode::write); }
void Lock::lock_shared() { take(Mode::read, Deadline::forever()); }
bool Lock::try_lock_shared() { return take(Mode::read, Deadline::now()); }
void Lock::unlock_shared() { give_back(Mode::read); }

bool Lock::take(Mode mode, Deadline deadline) {
  std::string obstacle;
  auto lease = impl_->acquire(mode, deadline, nullptr, obstacle);
  if (!lease) return false;
  ProcessState& here = impl_->state();
  const std::lock_guard<std::mutex> guard(here.mutex);
  here.taken.push_back({runtime::this_thread(), std::move(*lease)});
  return true;
}

// The newest of this thread's, so that nested ones go in order.
void Lock::give_back(Mode mode) {
  ProcessState& here = impl_->state();
  Lease lease;
  {
    const std::lock_guard<std::mutex> guard(here.mutex);
    auto& taken = here.taken;
    const auto mine = std::find_if(taken.rbegin(), taken.rend(), [mode](const ProcessState::Taken& t) {
      return t.thread == runtime::this_thread() && t.lease.mode() == mode;
    });
    if (mine == taken.rend()) {
      if (impl_->inherited()) return;  // a guard of the parent's that unwinds here
      throw UsageError("unlocking", impl_->directory.string(),
                       "this thread holds no " + std::string(to_string(mode)) + " lease through this object");
    }
    lease = std::move(mine->lease);
    taken.erase(std::next(mine).base());
  }
  lease.release();
}

}  // namespace rwlease
