#include "runtime/ticker.hpp"

#include <algorithm>

namespace rwlease::runtime {
namespace {

constexpr std::chrono::seconds patience{1};
constexpr std::chrono::hours longest_nap{1};

}  // namespace

std::vector<Ticker::Member>::iterator Ticker::Shared::find(const Hold* hold) noexcept {
  return std::find_if(members.begin(), members.end(), [hold](const Member& member) { return member.key == hold; });
}

void Ticker::add(const std::shared_ptr<Hold>& hold, Nanoseconds due) {
  const std::lock_guard<std::mutex> guard(shared_->mutex);
  if (!thread_) {
    thread_ = shared_->threads.start([shared = shared_] { run(shared); });
  }
  shared_->members.push_back({hold.get(), hold, due});
  wake_for(*shared_, due);
}

void Ticker::remove(const Hold* hold) noexcept {
  const std::lock_guard<std::mutex> guard(shared_->mutex);
  const auto member = shared_->find(hold);
  if (member != shared_->members.end()) shared_->members.erase(member);
}

void Ticker::hurry(const Hold* hold) noexcept {
  const std::lock_guard<std::mutex> guard(shared_->mutex);
  const auto member = shared_->find(hold);
  if (member == shared_->members.end()) return;
  member->due = Nanoseconds(0);
  wake_for(*shared_, Nanoseconds(0));
}

void Ticker::wake_for(Shared& shared, Nanoseconds due) {
  if (due < shared.wakes_at) shared.changed->notify_all();
}

void Ticker::stop() noexcept {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed->notify_all();
  if (!thread_) return;
  const std::unique_ptr<Thread> thread = std::move(thread_);
  const Time give_up = shared_->threads.now() + patience;
  const bool finished = shared_->changed->wait_until(lock, give_up, [this] { return shared_->finished; });
  lock.unlock();
  if (finished) {
    thread->join();
  } else {
    thread->detach();
  }
}

void Ticker::run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  while (!shared->stopping) tick(*shared, lock);
  shared->finished = true;
  shared->changed->notify_all();
}

// The task runs without the lock, so that adding and removing never wait for I/O.
void Ticker::tick(Shared& shared, std::unique_lock<std::mutex>& lock) {
  const auto earlier = [](const Member& a, const Member& b) { return a.due < b.due; };
  const auto next = std::min_element(shared.members.begin(), shared.members.end(), earlier);
  const Nanoseconds now = shared.clock.boot();
  const Nanoseconds due_next = next == shared.members.end() ? Nanoseconds::max() : next->due;
  if (due_next > now) {
    shared.wakes_at = std::min<Nanoseconds>(due_next, now + longest_nap);
    static_cast<void>(shared.changed->wait_until(lock, shared.threads.now() + (shared.wakes_at - now)));
    shared.wakes_at = Nanoseconds(0);
    return;
  }
  const Hold* key = next->key;
  std::shared_ptr<Hold> hold = next->hold.lock();
  next->due = Nanoseconds::max();
  lock.unlock();
  const Nanoseconds due = hold ? shared.task(*hold) : Nanoseconds::max();
  hold.reset();  // it may be the last, and what a hold owns is not to be destroyed under the lock
  lock.lock();
  const auto again = shared.find(key);
  // Whoever hurried it meanwhile wants it soon.
  if (again != shared.members.end()) again->due = std::min(again->due, due);
}

}  // namespace rwlease::runtime
