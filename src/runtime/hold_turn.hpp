// Taking turns with a hold's marker.
#pragma once

#include "runtime/hold.hpp"

#include <chrono>
#include <mutex>

namespace rwlease::runtime {

// The right to use the marker. One at a time; whoever gives it up does what was left to it meanwhile.
class Hold::Turn {
 public:
  // Waits for it, but not for ever.
  Turn(Hold& hold, std::chrono::nanoseconds patience_for_it) : hold_(hold) {
    std::unique_lock<std::mutex> lock(hold_.mutex_);
    const Time give_up = hold_.threads().now() + patience_for_it;
    taken_ = hold_.changed_->wait_until(lock, give_up, [this] { return !hold_.turn_taken_; });
    if (taken_) hold_.turn_taken_ = true;
  }

  ~Turn() {
    if (!taken_) return;
    hold_.end_turn();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool taken() const noexcept { return taken_; }

 private:
  Hold& hold_;
  bool taken_;
};

}  // namespace rwlease::runtime
