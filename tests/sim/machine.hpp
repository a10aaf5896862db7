// A host: its clocks, its processes, its NFS client's caches.
#pragma once

#include "fs/clock.hpp"
#include "fs/host.hpp"
#include "sim/cache.hpp"
#include "sim/time.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace rwlease::sim {

// How a host's clocks go. The one since boot runs at its own rate and stands still while a hypervisor pauses the
// machine; the wall clock goes on then, and may be set.
class MachineClock {
 public:
  MachineClock() = default;
  MachineClock(double rate, Time boot, Time wall) : rate_(rate), boot_(boot), wall_(wall) {}

  Time boot(Time now) const { return boot_ + scaled(now - stood_still(now)); }
  Time wall(Time now) const { return wall_ + scaled(now); }

  // By it, were it never paused.
  Time elapsed(Time from, Time until) const { return scaled(until - from); }

  // When the clock since boot will show this, if the machine is not paused until then.
  Time when(Time boot, Time now) const {
    const Time left = boot - this->boot(now);
    return left <= 0 ? now : now + static_cast<Time>(static_cast<double>(left) / rate_) + 1;
  }

  void pause(Time from, Time until) {
    stood_still_before_ = stood_still(from);
    paused_from_ = from;
    paused_until_ = until;
  }
  void set_wall(Time step) { wall_ += step; }
  Time paused_until() const { return paused_until_; }

 private:
  Time scaled(Time duration) const { return static_cast<Time>(static_cast<double>(duration) * rate_); }
  Time stood_still(Time now) const {
    return stood_still_before_ + std::max<Time>(0, std::min(now, paused_until_) - paused_from_);
  }

  double rate_ = 1;
  Time boot_ = 0;
  Time wall_ = 0;
  Time stood_still_before_ = 0;
  Time paused_from_ = 0;
  Time paused_until_ = 0;
};

struct Machine {
  int number = 0;
  std::string name;
  std::string boot_id;
  MachineClock clock;
  std::vector<pid_t> running;
  Time cut_off_until = 0;  // from the server
  Cache cache;
};

}  // namespace rwlease::sim
