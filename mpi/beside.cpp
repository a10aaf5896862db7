#include "beside.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

namespace rwlease::mpi::detail {
namespace {

// The application's signals belong to the application's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Beside::Beside(std::function<void()> work) : process_(getpid()), state_(std::make_unique<State>()) {
  state_->work = std::move(work);
  const SignalsBlocked blocked;
  state_->thread = std::thread([state = state_.get()] {
    state->work();
    state->done.store(true, std::memory_order_release);
  });
}

Beside::~Beside() {
  if (process_ == getpid()) {
    state_->thread.join();
  } else {
    static_cast<void>(state_.release());  // the thread object must not be destroyed while it names a thread
  }
}

}  // namespace rwlease::mpi::detail
