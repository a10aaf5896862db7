#include "sim/seam.hpp"

#include "sim/names.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace rwlease::sim {
namespace {

using fs::Nanoseconds;

constexpr std::uint64_t pid_namespace = 4026531836;

Time boot_of(const World& world, const Process& process) { return process.machine->clock.boot(world.scheduler.now()); }

// Timers go by the host's own clock, and are never quite on time.
Time when_it_shows(World& world, const Process& process, Time boot) {
  const Time now = world.scheduler.now();
  return process.machine->clock.when(boot, now) + static_cast<Time>(world.random.below(200 * microsecond));
}

class SimulatedCondition final : public runtime::Condition {
 public:
  SimulatedCondition(World& world, Process& process) : world_(world), process_(process) {}

  void notify_all() noexcept override { world_.scheduler.wake(this); }

  void wait(std::unique_lock<std::mutex>& lock) override { wait_for_wake(lock, never); }

  bool wait_until(std::unique_lock<std::mutex>& lock, runtime::Time when) override {
    const Time boot = when.time_since_epoch().count();
    if (process_.killed || world_.scheduler.current() == nullptr || boot_of(world_, process_) >= boot) return false;
    wait_for_wake(lock, when_it_shows(world_, process_, boot));
    return !process_.killed && boot_of(world_, process_) < boot;
  }

 private:
  void wait_for_wake(std::unique_lock<std::mutex>& lock, Time until) {
    lock.unlock();
    world_.scheduler.wait_for(this, until);
    lock.lock();
  }

  World& world_;
  Process& process_;
};

class SimulatedThread final : public runtime::Thread {
 public:
  SimulatedThread(World& world, const Task& task) : world_(world), task_(task) {}
  void join() override {
    while (!task_.done && world_.scheduler.current() != nullptr) world_.scheduler.leave_until(world_.scheduler.now());
  }
  void detach() noexcept override {}

 private:
  World& world_;
  const Task& task_;
};

}  // namespace

Nanoseconds SimulatedClock::boot() const noexcept { return Nanoseconds(boot_of(world_, process_)); }
Nanoseconds SimulatedClock::real() const noexcept {
  return Nanoseconds(process_.machine->clock.wall(world_.scheduler.now()));
}

std::string SimulatedHost::name() const { return process_.machine->name; }
std::string SimulatedHost::boot_id() const { return process_.boot_id; }

fs::ProcessIdentity SimulatedHost::self() const {
  return {process_.boot_id, pid_namespace, process_.pid, process_.start, 0};
}

std::string SimulatedHost::random_token() const { return make_token(++world_.tokens); }

fs::ProcessState SimulatedHost::state_of(const fs::ProcessIdentity& process) const {
  if (process.boot_id != process_.boot_id || process.pidns != pid_namespace) return fs::ProcessState::unknown;
  const auto& running = process_.machine->running;
  const bool there = std::find(running.begin(), running.end(), process.pid) != running.end();
  return there ? fs::ProcessState::running : fs::ProcessState::gone;
}

fs::ProcessState SimulatedHost::state_of_group(pid_t) const { return fs::ProcessState::gone; }

std::unique_ptr<runtime::Thread> SimulatedThreads::start(std::function<void()> body) {
  const Time begins = world_.scheduler.now() + static_cast<Time>(world_.random.below(100 * microsecond));
  return std::make_unique<SimulatedThread>(world_, world_.scheduler.start(process_, std::move(body), begins, false));
}

std::unique_ptr<runtime::Condition> SimulatedThreads::make_condition() {
  return std::make_unique<SimulatedCondition>(world_, process_);
}

std::uint64_t SimulatedThreads::current() const noexcept {
  const Task* task = world_.scheduler.current();
  return task == nullptr ? ~std::uint64_t{0} : static_cast<std::uint64_t>(task->number);
}

runtime::Time SimulatedThreads::now() const noexcept { return runtime::Time(Nanoseconds(boot_of(world_, process_))); }

void SimulatedThreads::sleep(Nanoseconds duration) {
  const Time until = boot_of(world_, process_) + std::max<Time>(duration.count(), 0);
  do {
    if (process_.killed) throw Killed();
    world_.scheduler.leave_until(when_it_shows(world_, process_, until));
  } while (boot_of(world_, process_) < until);
  if (process_.killed) throw Killed();
}

// Now and then something seems to have changed, as when another process of the host has removed an entry.
fs::Woken SimulatedThreads::wait(fs::EntryWatch&, Nanoseconds duration, int) {
  const bool early = world_.random.one_in(8);
  sleep(early ? duration / 4 : duration);
  return early ? fs::Woken::change : fs::Woken::timeout;
}

unsigned SimulatedThreads::random_seed() { return static_cast<unsigned>(world_.random.next()); }

}  // namespace rwlease::sim
