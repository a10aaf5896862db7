#include "runtime/runtime.hpp"

#include "fs/posix.hpp"
#include "log.hpp"
#include "protocol/failure.hpp"
#include "runtime/fork.hpp"
#include "runtime/hold.hpp"
#include "runtime/slot.hpp"

#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

namespace rwlease::runtime {
namespace {

std::atomic<Runtime*> current{nullptr};

void forget_parent() {
  current.store(nullptr);
  Slot::forget_all();
}

void end_at_exit() {
  Runtime* runtime = current.load();
  if (runtime != nullptr) runtime->end_everything();
}

thread_local std::uint64_t counts_as = 0;

void register_hooks_once() {
  static const bool registered = [] {
    on_fork(forget_parent);
    std::atexit(end_at_exit);
    return true;
  }();
  static_cast<void>(registered);
}

}  // namespace

Platform Platform::system() {
  return {std::make_unique<fs::PosixFileSystem>(), std::make_unique<fs::SystemClock>(),
          std::make_unique<fs::SystemHost>(), std::make_unique<SystemThreads>()};
}

std::uint64_t this_thread() { return counts_as != 0 ? counts_as : Runtime::get().threads().current(); }

void count_as_thread(std::uint64_t number) noexcept { counts_as = number; }

// No lock here: after a fork there must be none that another thread could have held.
Runtime& Runtime::get() {
  Runtime* existing = current.load();
  if (existing != nullptr) return *existing;
  register_hooks_once();
  std::unique_ptr<Runtime> fresh(new Runtime(Platform::system()));
  if (!current.compare_exchange_strong(existing, fresh.get())) return *existing;
  return *fresh.release();
}

void Runtime::use(Runtime* runtime) noexcept { current.store(runtime); }

Runtime::Runtime(Platform platform) : platform_(std::move(platform)), watcher_(&Hold::watch, clock(), threads()) {}

Ticker& Runtime::refresher_of(std::uint64_t device) {
  const std::lock_guard<std::mutex> guard(mutex_);
  auto& refresher = refreshers_[device];
  if (!refresher) refresher = std::make_unique<Ticker>(&Hold::refresh, clock(), threads());
  return *refresher;
}

// A colleague who makes the lock directory at this moment has not shared it with the group yet: nothing tells when it
// is done, so it is tried a few times.
std::unique_ptr<fs::Directory> Runtime::open_directory(const std::string& path, const Options& options) {
  constexpr int tries = 10;
  constexpr std::chrono::milliseconds pause(50);
  const protocol::Access access{options.sharing == Sharing::group, options.group};
  for (int i = 1;; ++i) {
    try {
      return protocol::open_lock_directory(file_system(), host(), path, access);
    } catch (const UnsafeDirectory&) {
      if (!access.group_shared || i == tries) throw;
      threads().sleep(pause);
    }
  }
}

std::shared_ptr<Instance> Runtime::open(const std::string& path, const Options& options,
                                        const std::shared_ptr<Instance>& stale) {
  auto directory = open_directory(path, options);
  fs::Attributes attributes;
  const fs::Result looked = directory->glance("", attributes);
  if (!looked.ok()) protocol::fail("looking at lock directory", path, looked);
  const Key key{attributes.device, attributes.stamp.inode};
  if (auto known = find(key, stale)) return known;

  // Probing needs a site, and an instance needs the probe's outcome.
  protocol::Ledger unused;
  protocol::Site site;
  site.directory = directory.get();
  site.clock = &clock();
  site.host = &host();
  site.ledger = &unused;
  site.terms = {options.interval, options.effective_lease(), options.effective_margin()};
  protocol::Record self;
  self.host = host().name();
  self.process = host().self();
  site.self = std::make_shared<const protocol::Record>(std::move(self));
  const protocol::MarkerKind kind = kind_on(key.first, site);
  auto fresh = std::make_shared<Instance>(*this, std::move(directory), kind, key.first);
  const std::lock_guard<std::mutex> guard(mutex_);
  auto& entry = instances_[key];
  auto known = entry.lock();
  if (known && known != stale) return known;
  entry = fresh;
  return fresh;
}

std::shared_ptr<Instance> Runtime::find(const Key& key, const std::shared_ptr<Instance>& stale) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto it = instances_.find(key);
  if (it == instances_.end()) return nullptr;
  auto known = it->second.lock();
  if (!known) instances_.erase(it);
  return known == stale ? nullptr : known;
}

protocol::MarkerKind Runtime::kind_on(std::uint64_t device, const protocol::Site& site) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto it = kinds_.find(device);
    if (it != kinds_.end()) return it->second;
  }
  const protocol::MarkerKind kind = protocol::probe_marker_kind(site);
  if (kind == protocol::MarkerKind::file) {
    log_line(LogLevel::info, site.directory->path() + ": symlinks do not work here; markers are files");
  }
  const std::lock_guard<std::mutex> guard(mutex_);
  kinds_[device] = kind;
  return kind;
}

void Runtime::end_everything() noexcept {
  std::vector<std::shared_ptr<Instance>> instances;
  std::vector<Ticker*> refreshers;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (const auto& [device, refresher] : refreshers_) refreshers.push_back(refresher.get());
    for (const auto& [key, weak] : instances_) {
      if (auto instance = weak.lock()) instances.push_back(std::move(instance));
    }
  }
  for (const auto& instance : instances) {
    for (const auto& hold : instance->holds()) hold->end_with_process();
  }
  watcher_.stop();
  for (Ticker* refresher : refreshers) refresher->stop();
}

}  // namespace rwlease::runtime
