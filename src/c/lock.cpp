#include <rwlease/lock.hpp>
#include <rwlease/wrapping.hpp>

#include <memory>
#include <utility>

using namespace rwlease;
using wrapping::fail;
using wrapping::guarded;

struct rwl_lock {
  Lock lock;
};

struct rwl_lease {
  Lease lease;
};

static_assert(static_cast<int>(Mode::read) == RWL_READ && static_cast<int>(Mode::write) == RWL_WRITE);
static_assert(static_cast<int>(LeaseState::valid) == RWL_STATE_VALID &&
              static_cast<int>(LeaseState::suspended) == RWL_STATE_SUSPENDED &&
              static_cast<int>(LeaseState::lost) == RWL_STATE_LOST &&
              static_cast<int>(LeaseState::released) == RWL_STATE_RELEASED);
static_assert(static_cast<int>(LossReason::suspended) == RWL_LOSS_SUSPENDED &&
              static_cast<int>(LossReason::expired) == RWL_LOSS_EXPIRED &&
              static_cast<int>(LossReason::evicted) == RWL_LOSS_EVICTED);

namespace {

bool is_mode(int mode) noexcept { return mode == RWL_READ || mode == RWL_WRITE; }

// What an acquire was given, checked; the handle that it is to make is NULL afterwards.
int check(const rwl_lock* lock, int mode, rwl_lease** lease) noexcept {
  if (lease == nullptr) return fail(RWL_USAGE, "acquiring a lease: there is no place for the handle");
  *lease = nullptr;
  if (lock == nullptr) return fail(RWL_USAGE, "acquiring a lease: the lock is NULL");
  if (!is_mode(mode)) return fail(RWL_USAGE, "acquiring a lease: the mode is neither RWL_READ nor RWL_WRITE");
  return RWL_OK;
}

int code_of(ReleaseResult result) noexcept {
  switch (result) {
    case ReleaseResult::released:
      return RWL_OK;
    case ReleaseResult::already_lost:
      return fail(RWL_LOST, "releasing: the lease was not in force any more");
    case ReleaseResult::invalid_after_fork:
      break;
  }
  return fail(RWL_FORKED, "releasing: this is a forked child; the lease is its parent's");
}

}  // namespace

extern "C" {

int rwl_lock_create(const char* path, const rwl_options* options, rwl_lock** lock) {
  if (lock == nullptr) return fail(RWL_USAGE, "making a lock: there is no place for the handle");
  *lock = nullptr;
  if (path == nullptr) return fail(RWL_USAGE, "making a lock: the path is NULL");
  return guarded([&] { *lock = new rwl_lock{Lock(path, wrapping::options_of(options))}; });
}

void rwl_lock_free(rwl_lock** lock) {
  if (lock == nullptr) return;
  delete *lock;
  *lock = nullptr;
}

int rwl_acquire(rwl_lock* lock, int mode, double timeout, const rwl_cancel* cancel, rwl_lease** lease) {
  if (const int code = check(lock, mode, lease)) return code;
  return guarded([&] {
    auto handle = std::make_unique<rwl_lease>();
    const Deadline deadline = Deadline::after(wrapping::timeout_of(timeout));
    handle->lease = lock->lock.acquire(static_cast<Mode>(mode), deadline, wrapping::cancel_of(cancel));
    *lease = handle.release();
  });
}

int rwl_try_acquire(rwl_lock* lock, int mode, rwl_lease** lease) {
  if (const int code = check(lock, mode, lease)) return code;
  const int code = guarded([&] {
    auto handle = std::make_unique<rwl_lease>();
    auto taken = lock->lock.try_acquire(static_cast<Mode>(mode));
    if (!taken) return;
    handle->lease = std::move(*taken);
    *lease = handle.release();
  });
  if (code == RWL_OK && *lease == nullptr) return fail(RWL_BUSY, "trying to acquire: somebody is in the way");
  return code;
}

int rwl_lease_valid(const rwl_lease* lease) { return lease != nullptr && lease->lease.valid() ? 1 : 0; }

int rwl_lease_verify(const rwl_lease* lease) { return lease != nullptr && lease->lease.verify() ? 1 : 0; }

int rwl_lease_state(const rwl_lease* lease) {
  return lease == nullptr ? RWL_STATE_RELEASED : static_cast<int>(lease->lease.state());
}

int rwl_lease_mode(const rwl_lease* lease) {
  return lease == nullptr ? RWL_READ : static_cast<int>(lease->lease.mode());
}

double rwl_lease_remaining(const rwl_lease* lease) {
  return lease == nullptr ? 0 : std::chrono::duration<double>(lease->lease.remaining()).count();
}

uint64_t rwl_lease_fence(const rwl_lease* lease) { return lease == nullptr ? 0 : lease->lease.fence(); }

int rwl_lease_on_lost(rwl_lease* lease, void (*lost)(int, void*), void* context) {
  if (lease == nullptr) return fail(RWL_USAGE, "setting on_lost: the lease is NULL");
  return guarded([&] {
    if (lost == nullptr) {
      lease->lease.on_lost(nullptr);
    } else {
      lease->lease.on_lost([lost, context](LossReason reason) { lost(static_cast<int>(reason), context); });
    }
  });
}

int rwl_lease_publish(rwl_lease* lease, const char* finished, const char* target) {
  if (lease == nullptr) return fail(RWL_USAGE, "publishing: the lease is NULL");
  if (finished == nullptr || target == nullptr) return fail(RWL_USAGE, "publishing: a path is NULL");
  return guarded([&] { lease->lease.publish(finished, target); });
}

int rwl_lease_downgrade(rwl_lease* lease) {
  if (lease == nullptr) return fail(RWL_USAGE, "downgrading: the lease is NULL");
  return guarded([&] { lease->lease = std::move(lease->lease).downgrade(); });
}

int rwl_lease_release(rwl_lease** lease) {
  if (lease == nullptr || *lease == nullptr) return RWL_OK;
  const std::unique_ptr<rwl_lease> ending(std::exchange(*lease, nullptr));
  return code_of(ending->lease.release());
}

}  // extern "C"
