#include "keeper.hpp"

#include "way_out.hpp"

#include <rwlease/error.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace rwlease::cli {

Keeper::Keeper(Holding& holding, Deadline deadline)
    : holding_(holding), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.is_open()) throw std::system_error(errno, std::generic_category(), "creating an event descriptor");
  thread_ = std::thread([this, deadline] {
    acquire(deadline);
    give_back_when_asked();
  });
}

Keeper::~Keeper() {
  cancel();
  give_back();
  thread_.join();
}

void Keeper::drain() noexcept {
  std::uint64_t count = 0;
  // Nothing to read is fine: another look found the change already.
  [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
}

Keeper::Outcome Keeper::outcome() const {
  const std::lock_guard guard(mutex_);
  return outcome_;
}

std::string Keeper::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

std::optional<LossReason> Keeper::loss() const {
  const std::lock_guard guard(mutex_);
  return loss_;
}

void Keeper::give_back() {
  {
    const std::lock_guard guard(mutex_);
    give_back_ = true;
  }
  give_back_asked_for_.notify_one();
}

std::optional<ReleaseResult> Keeper::given_back() const {
  const std::lock_guard guard(mutex_);
  return given_back_;
}

void Keeper::acquire(Deadline deadline) noexcept {
  try {
    holding_.acquire(deadline, cancel_, [this](LossReason reason) { notice_loss(reason); });
    settle(Outcome::granted);
  } catch (const Timeout& error) {
    settle(Outcome::timed_out, error.what());
  } catch (const Cancelled& error) {
    settle(Outcome::cancelled, error.what());
  } catch (const Error& error) {
    settle(Outcome::failed, error.what() + way_out(error, holding_.command()));
  } catch (const std::exception& error) {
    settle(Outcome::failed, error.what());
  }
}

void Keeper::give_back_when_asked() noexcept {
  std::unique_lock guard(mutex_);
  if (outcome_ != Outcome::granted) return;
  give_back_asked_for_.wait(guard, [this] { return give_back_; });
  guard.unlock();
  const ReleaseResult result = holding_.give_back();
  guard.lock();
  given_back_ = result;
  guard.unlock();
  tell();
}

void Keeper::settle(Outcome outcome, std::string failure) {
  {
    const std::lock_guard guard(mutex_);
    outcome_ = outcome;
    failure_ = std::move(failure);
  }
  tell();
}

void Keeper::notice_loss(LossReason reason) noexcept {
  {
    const std::lock_guard guard(mutex_);
    if (!loss_) loss_ = reason;
  }
  tell();
}

void Keeper::tell() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(event_.get(), &one, sizeof one);  // cannot fail short of 2^64 calls
}

}  // namespace rwlease::cli
