#include "holder.hpp"

#include <rwlease/deadline.hpp>

namespace rwlease::selftest {

bool Holder::stay(Mode mode, std::chrono::nanoseconds hold) {
  const bool broken = context_.broken(Breakage::exclusion);
  context_.door.asks();
  if (!broken && !acquire(mode)) return false;
  context_.door.enters(context_.all.rank(), mode, lease_.fence());
  context_.waiting().sleep_until(Clock::now() + hold);
  context_.door.leaves();
  const bool in_force = broken || (lease_.valid() && !lapsed_->load());
  if (!broken) release(mode);
  context_.door.has_left(in_force);
  return true;
}

bool Holder::acquire(Mode mode) {
  const auto begin = Clock::now();
  auto end = begin;
  const std::string error = actor_.run(context_.waiting(), [&] {
    lease_ = lock_.acquire(mode, Deadline::after(context_.terms.patience()), &actor_.cancel());
    end = Clock::now();
  });
  if (!error.empty()) {
    log_.fail(error);
    return false;
  }
  context_.timings.add(mode == Mode::read ? Operation::acquire_read : Operation::acquire_write, Load::contended,
                       end - begin);
  lapsed_ = std::make_shared<std::atomic<bool>>(false);
  lease_.on_lost([lapsed = lapsed_](LossReason) { lapsed->store(true); });
  return true;
}

void Holder::release(Mode mode) {
  const auto begin = Clock::now();
  auto end = begin;
  actor_.run(context_.waiting(), [&] {
    lease_.release();
    end = Clock::now();
  });
  context_.timings.add(mode == Mode::read ? Operation::release_read : Operation::release_write, Load::contended,
                       end - begin);
}

}  // namespace rwlease::selftest
