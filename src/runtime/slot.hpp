// What a signal handler can reach of a lease.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <string>

namespace rwlease::runtime {

enum class HoldStatus : int { active, suspended, lost, released };

// One for each hold, in a list that only grows: a slot that is given back is used again, never freed, so that a signal
// handler may walk the list at any moment. The hold's status lives here, because the handler must end the lease before
// it removes the marker.
class Slot {
 public:
  // A free one, or a new one; belongs to this process. Any thread.
  static Slot* take();

  // In signal handlers: ends every lease of this process and removes its markers. Async-signal-safe.
  static void end_all() noexcept;

  // In a forked child: none of these is ours.
  static void forget_all() noexcept;

  void give_back() noexcept;

  // What to remove. Not called while armed by another thread. A path that is too long stays out of the handler's reach.
  void arm(int directory, const std::string& path, bool writes) noexcept;
  void disarm() noexcept;

  std::atomic<HoldStatus> status{HoldStatus::active};

 private:
  static constexpr std::size_t longest_path = 240;

  void end() noexcept;

  std::atomic<bool> used_{true};
  std::atomic<bool> armed_{false};
  std::atomic<unsigned> arming_{0};  // counts arm() and disarm(): a handler that came in between leaves the slot alone
  int directory_ = -1;
  bool writes_ = false;
  std::array<char, longest_path> path_{};
  Slot* next_ = nullptr;
};

}  // namespace rwlease::runtime
