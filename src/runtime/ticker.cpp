#include "runtime/ticker.hpp"

#include <rwlease/error.hpp>

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>

namespace rwlease::runtime {
namespace {

constexpr std::chrono::seconds patience{1};
constexpr std::chrono::hours longest_nap{1};

// The application's signals belong to the application's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

void Ticker::add(const std::shared_ptr<Hold>& hold, Nanoseconds due) {
  const std::lock_guard<std::mutex> guard(shared_->mutex);
  if (!thread_.joinable()) start();
  shared_->members[hold.get()] = Member{hold, due};
  wake_for(*shared_, due);
}

void Ticker::remove(const Hold* hold) noexcept {
  const std::lock_guard<std::mutex> guard(shared_->mutex);
  shared_->members.erase(hold);
}

void Ticker::hurry(const Hold* hold) noexcept {
  const std::lock_guard<std::mutex> guard(shared_->mutex);
  const auto member = shared_->members.find(hold);
  if (member == shared_->members.end()) return;
  member->second.due = Nanoseconds(0);
  wake_for(*shared_, Nanoseconds(0));
}

void Ticker::wake_for(Shared& shared, Nanoseconds due) {
  if (due < shared.wakes_at) shared.changed.notify_all();
}

void Ticker::start() {
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread(run, shared_);
  } catch (const std::system_error& e) {
    throw Error("starting a heartbeat thread", "", e.code().message(), e.code());
  }
}

void Ticker::stop() noexcept {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed.notify_all();
  if (!thread_.joinable()) return;
  const bool finished = shared_->changed.wait_for(lock, patience, [this] { return shared_->finished; });
  lock.unlock();
  if (finished) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void Ticker::run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  while (!shared->stopping) tick(*shared, lock);
  shared->finished = true;
  shared->changed.notify_all();
}

// The task runs without the lock, so that adding and removing never wait for I/O.
void Ticker::tick(Shared& shared, std::unique_lock<std::mutex>& lock) {
  const auto earlier = [](const auto& a, const auto& b) { return a.second.due < b.second.due; };
  const auto next = std::min_element(shared.members.begin(), shared.members.end(), earlier);
  const Nanoseconds now = shared.clock.boot();
  const Nanoseconds due_next = next == shared.members.end() ? Nanoseconds::max() : next->second.due;
  if (due_next > now) {
    shared.wakes_at = std::min<Nanoseconds>(due_next, now + longest_nap);
    shared.changed.wait_for(lock, shared.wakes_at - now);
    shared.wakes_at = Nanoseconds(0);
    return;
  }
  const Hold* key = next->first;
  std::shared_ptr<Hold> hold = next->second.hold.lock();
  next->second.due = Nanoseconds::max();
  lock.unlock();
  const Nanoseconds due = hold ? shared.task(*hold) : Nanoseconds::max();
  hold.reset();  // it may be the last, and what a hold owns is not to be destroyed under the lock
  lock.lock();
  const auto again = shared.members.find(key);
  // Whoever hurried it meanwhile wants it soon.
  if (again != shared.members.end()) again->second.due = std::min(again->second.due, due);
}

}  // namespace rwlease::runtime
