#include "sim/participant.hpp"

#include "sim/directory.hpp"
#include "sim/names.hpp"
#include "sim/seam.hpp"
#include "sim/world.hpp"

#include <rwlease/error.hpp>
#include <rwlease/lock.hpp>

#include <memory>

namespace rwlease::sim {
namespace {

using fs::Nanoseconds;

// One thread's work.
class Participant {
 public:
  Participant(World& world, Process& process) : world_(world), process_(process) {}

  void run(const PlannedProcess& planned) {
    Lock lock("/scratch/data", process_.options);
    for (int i = 0; i < planned.rounds; ++i) {
      arrive(planned, static_cast<std::size_t>(i));
      round(lock, planned);
    }
  }

  void sweep() {
    Lock lock("/scratch/data", process_.options);
    try {
      Lease lease = lock.acquire(Mode::write);
      hold_for(lease, Mode::write, 400 * second, false);
    } catch (const Error& error) {
      if (process_.killed) throw Killed();
      world_.judge.found(Violation::error, error.what());
    }
  }

 private:
  runtime::Threads& threads() { return process_.runtime->threads(); }
  Random& random() { return world_.random; }
  void say(const std::string& what) {
    if (!world_.trace.wanted()) return;
    world_.trace.line(world_.scheduler.now(), name_of(world_, process_, world_.scheduler.current()->number), what);
  }

  void arrive(const PlannedProcess& planned, std::size_t round) {
    const Time longest = world_.plan.arrive_within;
    Time length = random().one_in(2) ? random().spread(millisecond, longest) : random().between(0, longest);
    if (round < planned.arrivals.size()) length = draw(planned.arrivals[round]) - world_.scheduler.now();
    threads().sleep(Nanoseconds(length));
  }

  Time draw(const Span& span) { return random().between(span.from, span.to); }

  Deadline draw_deadline() {
    if (world_.plan.contended) return Deadline::forever();
    switch (random().below(8)) {
      case 0:
        return Deadline::now();
      case 1:
      case 2:
        return Deadline::at(threads().now() + std::chrono::duration_cast<Deadline::Clock::duration>(
                                                  Nanoseconds(random().spread(millisecond, 200 * second))));
      default:
        return Deadline::forever();
    }
  }

  // By another thread of the process.
  std::shared_ptr<Cancel> cancel_later() {
    auto cancel = std::make_shared<Cancel>();
    const Time when = world_.scheduler.now() + random().spread(millisecond, 60 * second);
    world_.scheduler.start(
        process_, [cancel] { cancel->cancel(); }, when, false);
    return cancel;
  }

  void round(Lock& lock, const PlannedProcess& planned) {
    const Mode mode = planned.mode.value_or(random().one_in(2) ? Mode::read : Mode::write);
    const Deadline deadline = draw_deadline();
    try {
      say("wants to " + std::string(to_string(mode)));
      const std::shared_ptr<Cancel> cancel = random().one_in(16) ? cancel_later() : nullptr;
      Lease lease = lock.acquire(mode, deadline, cancel.get());
      planned.holds ? hold_for(lease, mode, draw(*planned.holds), false) : hold(lease, mode);
    } catch (const Cancelled&) {
      ++world_.statistics.cancelled;
      say("cancelled");
    } catch (const Timeout&) {
      ++world_.statistics.timeouts;
      say("timed out");
      if (deadline.is_forever()) world_.judge.found(Violation::error, "a timeout without a deadline");
    } catch (const Error& error) {
      if (process_.killed) throw Killed();
      ++world_.statistics.errors;
      say(std::string("failed: ") + error.what());
      if (world_.network.troubles() == 0) world_.judge.found(Violation::error, error.what());
    }
  }

  void hold(Lease& lease, Mode mode) {
    if (world_.plan.contended) return hold_for(lease, mode, random().between(20 * second, 100 * second), false);
    const Time length = random().one_in(3)   ? 0
                        : random().one_in(2) ? random().spread(millisecond, 150 * second)
                                             : random().between(second, 100 * second);
    hold_for(lease, mode, length, mode == Mode::write && random().one_in(8));
  }

  void hold_for(Lease& lease, Mode mode, Time length, bool downgrades) {
    ++(mode == Mode::read ? world_.statistics.reads : world_.statistics.writes);
    say("holds" + (mode == Mode::write ? " with fence " + std::to_string(lease.fence()) : std::string()));
    {
      Registered registered(world_, process_, lease, mode, true);
      watch(lease, registered.held);
      if (length > 0) work(lease, length);
      if (!downgrades) return give_back(lease, registered);
    }
    downgrade(lease, length);
  }

  void downgrade(Lease& lease, Time length) {
    try {
      ++world_.statistics.downgrades;
      Lease reader = std::move(lease).downgrade();
      say("holds on to read");
      Registered registered(world_, process_, reader, Mode::read, false);
      watch(reader, registered.held);
      if (length > 0) work(reader, length);
      give_back(reader, registered);
    } catch (const LeaseLost& error) {
      say(error.what());
    } catch (const Error& error) {
      // A heartbeat that hangs, or an accident: the write lease is as before, and is given back.
      if (process_.killed) throw Killed();
      say(error.what());
    }
  }

  struct Registered {
    Registered(World& world_in, Process& process, const Lease& lease, Mode mode, bool acquired) : world(world_in) {
      held->lease = &lease;
      held->mode = mode;
      held->process = &process;
      world.judge.granted(*held, acquired);
    }
    ~Registered() { world.judge.forget(*held); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;
    World& world;
    const std::shared_ptr<Held> held = std::make_shared<Held>();  // callbacks may outlive this
  };

  void watch(Lease& lease, const std::shared_ptr<Held>& held) {
    lease.on_lost([this, held](LossReason reason) {
      held->told = true;
      ++(reason == LossReason::suspended ? world_.statistics.suspensions : world_.statistics.losses);
      say("is told: " + std::string(to_string(reason)));
    });
    lease.on_renewed([this] {
      ++world_.statistics.renewals;
      say("is told: renewed");
    });
  }

  void work(Lease& lease, Time length) {
    const bool looks = random().one_in(4);
    threads().sleep(Nanoseconds(length / 2));
    if (looks) static_cast<void>(lease.verify());
    threads().sleep(Nanoseconds(length / 2));
  }

  void give_back(Lease& lease, Registered& registered) {
    const bool valid = lease.valid();
    world_.judge.forget(*registered.held);
    say("releases");
    const ReleaseResult result = lease.release();
    say(std::string(to_string(result)));
    if (!process_.killed) world_.judge.released(*registered.held, result, valid);
  }

  World& world_;
  Process& process_;
};

void give_platform(World& world, Process& process) {
  runtime::Platform platform;
  platform.file_system = std::make_unique<SimulatedFileSystem>(world, process);
  platform.clock = std::make_unique<SimulatedClock>(world, process);
  platform.host = std::make_unique<SimulatedHost>(world, process);
  platform.threads = std::make_unique<SimulatedThreads>(world, process);
  process.runtime = std::make_unique<runtime::Runtime>(std::move(platform));
}

Process& make_process(World& world, Machine& machine, const Options& options) {
  Process& process = world.processes.emplace_back();
  process.number = static_cast<int>(world.processes.size()) - 1;
  process.machine = &machine;
  process.pid = 4000 + process.number;
  process.start = static_cast<std::uint64_t>(process.number) + 1;
  process.options = options;
  process.boot_id = machine.boot_id;
  process.opening = !world.plan.opening_matters;
  machine.running.push_back(process.pid);
  give_platform(world, process);
  return process;
}

// The last one out ends the process, as exit() does.
void start_user(World& world, Process& process, std::function<void()> work, Time when) {
  ++process.users;
  world.scheduler.start(
      process,
      [&process, work = std::move(work)] {
        work();
        if (--process.users > 0) return;
        process.runtime->end_everything();
        process.ended = true;
      },
      when, true);
}

}  // namespace

Process& start_process(World& world, Machine& machine, const PlannedProcess& planned, Time when) {
  Process& process = make_process(world, machine, planned.options);
  for (int i = 0; i < planned.threads; ++i) {
    start_user(
        world, process, [&world, &process, planned] { Participant(world, process).run(planned); }, when);
  }
  return process;
}

Process& start_sweeper(World& world, Machine& machine, Time when) {
  PlannedProcess planned;
  Options options;
  options.interval = std::chrono::seconds(10);
  options.job = "0";
  Process& process = make_process(world, machine, options);
  start_user(
      world, process, [&world, &process] { Participant(world, process).sweep(); }, when);
  return process;
}

}  // namespace rwlease::sim
