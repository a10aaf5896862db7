// What the library stands on, simulated: clocks, host, threads.
#pragma once

#include "fs/clock.hpp"
#include "fs/host.hpp"
#include "runtime/threads.hpp"

namespace rwlease::sim {

struct Process;
struct World;

class SimulatedClock final : public fs::Clock {
 public:
  SimulatedClock(const World& world, const Process& process) : world_(world), process_(process) {}
  fs::Nanoseconds boot() const noexcept override;
  fs::Nanoseconds real() const noexcept override;

 private:
  const World& world_;
  const Process& process_;
};

class SimulatedHost final : public fs::Host {
 public:
  SimulatedHost(World& world, const Process& process) : world_(world), process_(process) {}
  std::string name() const override;
  std::string boot_id() const override;
  fs::ProcessIdentity self() const override;
  uid_t user() const override { return 1000; }
  std::string random_token() const override;
  fs::ProcessState state_of(const fs::ProcessIdentity& process) const override;
  fs::ProcessState state_of_group(pid_t group) const override;

 private:
  World& world_;
  const Process& process_;
};

// Waits of a killed process end at once.
class SimulatedThreads final : public runtime::Threads {
 public:
  SimulatedThreads(World& world, Process& process) : world_(world), process_(process) {}
  std::unique_ptr<runtime::Thread> start(std::function<void()> body) override;
  std::unique_ptr<runtime::Condition> make_condition() override;
  std::uint64_t current() const noexcept override;
  runtime::Time now() const noexcept override;
  void sleep(fs::Nanoseconds duration) override;
  fs::Woken wait(fs::EntryWatch& watch, fs::Nanoseconds duration, int cancel_descriptor) override;
  unsigned random_seed() override;

 private:
  World& world_;
  Process& process_;
};

}  // namespace rwlease::sim
