// An acquire with its waiting, on a lock directory in memory.
#pragma once

#include "runtime/acquisition.hpp"
#include "runtime/runtime.hpp"
#include "support/world.hpp"

namespace rwlease::test {

// The waiting itself takes real milliseconds; everything else goes by the actor's clock, which moves by each reading.
class FakeAcquisition {
 public:
  explicit FakeAcquisition(Actor& actor) : site_(actor.site()) {
    options_.poll_min = options_.poll_max = 1ms;
    actor.clock.set_tick(1ms);
    instance_ = std::make_unique<runtime::Instance>(
        runtime::Runtime::get(), std::make_unique<MemoryDirectory>(actor.client, actor.world.node(), lock_path),
        actor.kind, 0);
  }

  runtime::Instance& instance() { return *instance_; }

  std::optional<protocol::Grant> run(Mode mode, Deadline deadline, const Cancel* cancel = nullptr) {
    runtime::Acquisition acquisition(*instance_, site_, options_, {mode, deadline, cancel, &on_waiting_});
    auto grant = acquisition.run();
    obstacle_ = acquisition.obstacle_text();
    return grant;
  }

  const std::string& obstacle() const { return obstacle_; }

 private:
  Options options_;
  protocol::Site site_;
  std::unique_ptr<runtime::Instance> instance_;
  std::function<void(const Obstacle&)> on_waiting_;
  std::string obstacle_;
};

}  // namespace rwlease::test
