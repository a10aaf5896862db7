// The C interface: rwlease_mpi.h.
#include <rwlease/rwlease_mpi.h>
#include <rwlease/mpi.hpp>
#include <rwlease/wrapping.hpp>

#include <memory>
#include <utility>

using namespace rwlease;
using wrapping::fail;

struct rwl_mpi_lock {
  mpi::Lock lock;
};

struct rwl_mpi_lease {
  mpi::Lease lease;
};

struct rwl_mpi_request {
  mpi::Request request;
};

namespace {

template <class Call>
int guarded(Call&& call) noexcept {
  try {
    call();
    return RWL_OK;
  } catch (const mpi::PeerTimeout&) {
    wrapping::code_of_current_exception();
    return RWL_PEER_TIMEOUT;
  } catch (const mpi::MpiError&) {
    wrapping::code_of_current_exception();
    return RWL_MPI;
  } catch (...) {
    return wrapping::code_of_current_exception();
  }
}

// Sets the handle that a call is to make to NULL; RWL_USAGE where there is no place for it or `needed` is NULL.
template <class Handle>
int prepare(Handle** place, bool needed, const char* what) noexcept {
  if (place != nullptr) *place = nullptr;
  if (place != nullptr && needed) return RWL_OK;
  return fail(RWL_USAGE, std::string(what) + (place == nullptr ? ": there is no place for the handle" : ": NULL"));
}

template <class Handle>
int prepare_acquire(const rwl_mpi_lock* lock, int mode, Handle** place) noexcept {
  if (const int code = prepare(place, lock != nullptr, "acquiring a lease")) return code;
  const bool is_mode = mode == RWL_READ || mode == RWL_WRITE;
  return is_mode ? RWL_OK : fail(RWL_USAGE, "acquiring a lease: the mode is neither RWL_READ nor RWL_WRITE");
}

mpi::Policy policy_of(const rwl_mpi_policy& policy) noexcept {
  mpi::Policy result;
  if (policy.abort_on_loss != 0) result.on_loss = mpi::Policy::OnLoss::abort;
  result.peer_timeout = wrapping::timeout_of(policy.peer_timeout);
  return result;
}

// The object is made before the call, so that its outcome cannot get lost for lack of memory on one rank.
template <class Take>
int take_lease(rwl_mpi_lease** lease, Take&& take) noexcept {
  return guarded([&] {
    auto handle = std::make_unique<rwl_mpi_lease>();
    handle->lease = take();
    *lease = handle.release();
  });
}

}  // namespace

extern "C" {

int rwl_mpi_lock_create(MPI_Comm communicator, const char* path, const rwl_options* options,
                        const rwl_mpi_policy* policy, rwl_mpi_lock** lock) {
  if (const int code = prepare(lock, path != nullptr, "making a lock")) return code;
  const rwl_mpi_policy rules = policy == nullptr ? rwl_mpi_policy{0, 0, -1.0} : *policy;
  return guarded([&] {
    *lock =
        new rwl_mpi_lock{mpi::Lock(communicator, path, wrapping::options_of(options), rules.root, policy_of(rules))};
  });
}

int rwl_mpi_lock_create_f(MPI_Fint communicator, const char* path, const rwl_options* options,
                          const rwl_mpi_policy* policy, rwl_mpi_lock** lock) {
  return rwl_mpi_lock_create(MPI_Comm_f2c(communicator), path, options, policy, lock);
}

int rwl_mpi_close(rwl_mpi_lock** lock) {
  if (lock == nullptr || *lock == nullptr) return RWL_OK;
  const int code = guarded([&] { (*lock)->lock.close(); });
  if (code == RWL_OK) rwl_mpi_lock_free(lock);
  return code;
}

void rwl_mpi_lock_free(rwl_mpi_lock** lock) {
  if (lock == nullptr) return;
  delete *lock;
  *lock = nullptr;
}

int rwl_mpi_acquire(rwl_mpi_lock* lock, int mode, double timeout, const rwl_cancel* cancel, rwl_mpi_lease** lease) {
  if (const int code = prepare_acquire(lock, mode, lease)) return code;
  return take_lease(lease, [&] {
    return lock->lock.acquire(static_cast<Mode>(mode), wrapping::timeout_of(timeout), wrapping::cancel_of(cancel));
  });
}

int rwl_mpi_try_acquire(rwl_mpi_lock* lock, int mode, rwl_mpi_lease** lease) {
  if (const int code = prepare_acquire(lock, mode, lease)) return code;
  bool busy = false;
  const int code = take_lease(lease, [&] {
    auto taken = lock->lock.try_acquire(static_cast<Mode>(mode));
    busy = !taken.has_value();
    return busy ? mpi::Lease() : std::move(*taken);
  });
  if (!busy) return code;
  rwl_mpi_drop(lease);
  return fail(RWL_BUSY, "trying to acquire: somebody is in the way");
}

int rwl_mpi_acquire_async(rwl_mpi_lock* lock, int mode, double timeout, rwl_mpi_request** request) {
  if (const int code = prepare_acquire(lock, mode, request)) return code;
  return guarded([&] {
    auto handle = std::make_unique<rwl_mpi_request>();
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): prepare() has looked for NULL.
    handle->request = lock->lock.acquire_async(static_cast<Mode>(mode), wrapping::timeout_of(timeout));
    *request = handle.release();
  });
}

int rwl_mpi_test(rwl_mpi_request* request, int* over) {
  if (request == nullptr || over == nullptr) return fail(RWL_USAGE, "testing a request: NULL");
  return guarded([&] { *over = request->request.test() ? 1 : 0; });
}

int rwl_mpi_wait(rwl_mpi_request** request, rwl_mpi_lease** lease) {
  if (const int code = prepare(lease, request != nullptr && *request != nullptr, "waiting for a request")) return code;
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage,clang-analyzer-core.NullDereference): prepare() has looked.
  const int code = take_lease(lease, [&] { return (*request)->request.wait(); });
  if (!(*request)->request) rwl_mpi_request_free(request);
  return code;
}

int rwl_mpi_cancel(rwl_mpi_request** request) {
  if (request == nullptr || *request == nullptr) return RWL_OK;
  const int code = guarded([&] { (*request)->request.cancel(); });
  if (!(*request)->request) rwl_mpi_request_free(request);
  return code;
}

void rwl_mpi_request_free(rwl_mpi_request** request) {
  if (request == nullptr) return;
  delete *request;
  *request = nullptr;
}

int rwl_mpi_valid(const rwl_mpi_lease* lease) { return lease != nullptr && lease->lease.valid() ? 1 : 0; }

int rwl_mpi_verify(rwl_mpi_lease* lease) { return lease != nullptr && lease->lease.verify() ? 1 : 0; }

int rwl_mpi_mode(const rwl_mpi_lease* lease) {
  return lease == nullptr ? RWL_READ : static_cast<int>(lease->lease.mode());
}

double rwl_mpi_remaining(const rwl_mpi_lease* lease) {
  return lease == nullptr ? 0 : std::chrono::duration<double>(lease->lease.remaining()).count();
}

uint64_t rwl_mpi_fence(const rwl_mpi_lease* lease) { return lease == nullptr ? 0 : lease->lease.fence(); }

int rwl_mpi_check(rwl_mpi_lease* lease, int* state) {
  if (lease == nullptr || state == nullptr) return fail(RWL_USAGE, "checking the lease: NULL");
  return guarded([&] { *state = static_cast<int>(lease->lease.check()); });
}

int rwl_mpi_publish(rwl_mpi_lease* lease, const char* finished, const char* target) {
  if (lease == nullptr || finished == nullptr || target == nullptr) return fail(RWL_USAGE, "publishing: NULL");
  return guarded([&] { lease->lease.publish(finished, target); });
}

int rwl_mpi_downgrade(rwl_mpi_lease* lease) {
  if (lease == nullptr) return fail(RWL_USAGE, "downgrading the lease: NULL");
  return guarded([&] { lease->lease = std::move(lease->lease).downgrade(); });
}

int rwl_mpi_release(rwl_mpi_lease** lease) {
  if (lease == nullptr || *lease == nullptr) return RWL_OK;
  ReleaseResult result = ReleaseResult::released;
  const int code = guarded([&] { result = (*lease)->lease.release(); });
  if (code != RWL_OK) return code;
  rwl_mpi_drop(lease);
  if (result == ReleaseResult::released) return RWL_OK;
  return fail(RWL_LOST, "releasing: the lease was not in force any more");
}

void rwl_mpi_drop(rwl_mpi_lease** lease) {
  if (lease == nullptr) return;
  delete *lease;
  *lease = nullptr;
}

}  // extern "C"
