// A soft lock that is held.
#pragma once

#include "runtime/runtime.hpp"
#include "softlock/claim.hpp"
#include "softlock/heart.hpp"
#include "softlock/turn.hpp"

#include <rwlease/error.hpp>

#include <atomic>
#include <functional>
#include <memory>

namespace rwlease::softlock {

// The owner's claim, its heartbeat where there is one, and the right to use the claim, one thread at a time. Where a
// heartbeat hangs in the file system the lock is left to it: it gives it back when it comes free.
class Tenure : public std::enable_shared_from_this<Tenure> {
 public:
  // `opened`, `ledger`: what the claim's scene refers to. `on_lost` is called on the heartbeat's thread.
  struct Base {
    std::shared_ptr<fs::Directory> opened;
    std::shared_ptr<protocol::Ledger> ledger;
  };
  Tenure(Base base, const Scene& scene, std::unique_ptr<Claim> claim, std::function<void(const Error&)> on_lost);

  // Starts the heartbeat. Throws Error.
  void start();

  bool valid() const noexcept { return claim_->validity().in_force(*scene_.site.clock); }
  bool mine();
  bool touch();

  // Whether it was in force to the end. Throws Error when it could not be removed.
  bool give_back();

  // Stops the heartbeat and lets the lock stand.
  void leave() noexcept;

  const std::uint64_t thread = runtime::this_thread();

 private:
  std::optional<Nanoseconds> beat() noexcept;
  void give_back_late() noexcept;
  void tell_loss() noexcept;

  const Base base_;
  const Scene scene_;
  const std::unique_ptr<Claim> claim_;
  const std::function<void(const Error&)> on_lost_;

  enum class State { held, left_to_heart, given_back };

  Turn turn_;  // held during the claim's I/O
  std::atomic<State> state_{State::held};
  std::shared_ptr<Tenure> alive_;  // while left to the heart; written before the state
  std::unique_ptr<Heart> heart_;
};

}  // namespace rwlease::softlock
