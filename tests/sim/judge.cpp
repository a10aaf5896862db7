#include "sim/judge.hpp"

#include "protocol/names.hpp"
#include "sim/names.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace rwlease::sim {

const char* to_string(Violation violation) {
  switch (violation) {
    case Violation::none:
      return "none";
    case Violation::exclusion:
      return "exclusion";
    case Violation::fence:
      return "fence";
    case Violation::late_entry:
      return "late entry";
    case Violation::early_eviction:
      return "early eviction";
    case Violation::untold:
      return "untold";
    case Violation::release:
      return "release";
    case Violation::error:
      return "error";
    case Violation::stuck:
      return "stuck";
    case Violation::leftover:
      return "leftover";
  }
  return "";
}

void Judge::restart() {
  violation_ = Violation::none;
  description_.clear();
  held_.clear();
  ghosts_.clear();
  greatest_fence_ = 0;
  greatest_in_ = no_handle;
}

void Judge::found(Violation violation, const std::string& what) {
  if (violation_ != Violation::none) return;
  violation_ = violation;
  description_ = std::string(to_string(violation)) + ": " + what;
  world_.trace.line(world_.scheduler.now(), "VIOLATION", description_);
}

void Judge::granted(Held& held, bool acquired) {
  const Task& task = *world_.scheduler.current();
  held.lock_directory = task.published_in;
  held_.push_back(&held);
  if (held.mode == Mode::write) {
    check_fence(held);
  }
  const bool reads = acquired && held.mode == Mode::read;
  if (reads && world_.server.writer_since() < world_.server.node(task.published).published) {
    found(Violation::late_entry,
          "process " + std::to_string(held.process->number) + " reads, though a claim stood before it came");
  }
  check();
}

// Only a lock directory that is removed and made anew within one tick of the server's clock forgets numbers.
void Judge::check_fence(const Held& held) {
  // Whose lock directory was removed meanwhile holds nothing that others could see, and will notice soon.
  if (held.lock_directory != world_.server.lock_directory()) return;
  const std::uint64_t fence = held.lease->fence();
  const auto tick_of = [&](std::uint64_t number) { return static_cast<Time>(number) * microsecond / world_.plan.tick; };
  const bool forgotten = greatest_in_ != held.lock_directory && tick_of(fence) == tick_of(greatest_fence_);
  if (fence <= greatest_fence_ && !forgotten) {
    found(Violation::fence, std::to_string(fence) + " after " + std::to_string(greatest_fence_));
  }
  greatest_fence_ = std::max(greatest_fence_, fence);
  greatest_in_ = held.lock_directory;
}

void Judge::released(Held& held, ReleaseResult result, bool was_valid) {
  if (result == ReleaseResult::released && !was_valid) found(Violation::release, "of a lease that was not in force");
  forget(held);
}

void Judge::forget(Held& held) { held_.erase(std::remove(held_.begin(), held_.end(), &held), held_.end()); }

void Judge::process_dies(const Process& process) {
  for (const Held* held : held_) {
    if (held->process != &process || process.options.sole) continue;
    ghosts_.push_back(
        {held->mode, &process, held->lock_directory, world_.scheduler.now(), held->lease->remaining().count()});
  }
}

void Judge::check() {
  check_exclusion();
  for (Held* held : held_) check_told(*held);
}

void Judge::check_exclusion() {
  const Time now = world_.scheduler.now();
  const auto in_force = [&](const Ghost& ghost) {
    return ghost.lock_directory == world_.server.lock_directory() &&
           ghost.process->machine->clock.elapsed(ghost.died, now) < ghost.remaining;
  };
  if (held_.size() + ghosts_.size() < 2) return;
  // An administrator who removes the lock directory takes everybody's lease; they notice a little later.
  const auto counts = [&](const Held* held) {
    return held->lock_directory == world_.server.lock_directory() && held->lease->valid();
  };
  const Held* reader = nullptr;
  const Held* writer = nullptr;
  for (const Held* held : held_) {
    if (!counts(held)) continue;
    const bool writes = held->mode == Mode::write;
    if (writer != nullptr || (writes && reader != nullptr)) {
      const Held* other = writer != nullptr ? writer : reader;
      return found(Violation::exclusion, "processes " + std::to_string(other->process->number) + " and " +
                                             std::to_string(held->process->number) + " hold at once");
    }
    (writes ? writer : reader) = held;
    for (const Ghost& ghost : ghosts_) {
      if (excludes(ghost.mode, held->mode) && in_force(ghost)) {
        found(Violation::exclusion, "process " + std::to_string(held->process->number) +
                                        " holds while others work under the lease of process " +
                                        std::to_string(ghost.process->number));
      }
    }
  }
}

// The watcher looks every half margin.
void Judge::check_told(Held& held) {
  const Time now = world_.scheduler.now();
  const Machine& machine = *held.process->machine;
  const bool stands_still = held.process->stopped_until + second > now || machine.clock.paused_until() + second > now;
  if (held.lease->valid()) {
    held.over_since = never;
    held.told = false;
  } else if (stands_still || held.over_since == never) {
    held.over_since = now;
  } else if (!held.told) {
    const Time patience = held.process->options.effective_margin().count() * millisecond * 6 / 10 + second;
    if (now - held.over_since > patience) {
      found(Violation::untold,
            "process " + std::to_string(held.process->number) + " does not know that its lease is over");
    }
  }
}

void Judge::removing(std::string_view name, Handle directory, const Node& node, const Request& request) {
  if (node.owner < 0 || request.process < 0 || node.owner == request.process || node.type == fs::Type::directory)
    return;
  if (protocol::fence_number(name)) return;
  ++world_.statistics.evictions;
  const Process& owner = world_.processes[static_cast<std::size_t>(node.owner)];
  const Handle lock = world_.server.lock_directory();
  const bool claims = lock != no_handle && directory == world_.server.find(lock, protocol::writer_name);
  const bool in_use = owner.alive() || (owner.killed && !owner.options.sole && name.front() != '.' &&
                                        (claims || node.published != never));
  if (!in_use) return;
  if (in_force(node)) {
    found(Violation::early_eviction, "of process " + std::to_string(owner.number) + ", which showed life " +
                                         std::to_string((world_.scheduler.now() - node.alive) / millisecond) +
                                         " ms before");
  }
}

bool Judge::in_force(const Node& node) const {
  if (node.owner < 0) return false;
  const Process& owner = world_.processes[static_cast<std::size_t>(node.owner)];
  const Time passed = owner.machine->clock.elapsed(node.alive, world_.scheduler.now());
  return passed < (owner.options.effective_lease() - owner.options.effective_margin()).count() * millisecond;
}

void Judge::published(Handle handle, const Request& request) {
  if (request.task <= 0) return;
  Task& task = world_.scheduler.task(request.task);
  task.published = handle;
  task.published_in = world_.server.lock_directory();
}

}  // namespace rwlease::sim
