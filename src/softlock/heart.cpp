#include "softlock/heart.hpp"

#include <utility>

namespace rwlease::softlock {
namespace {

constexpr std::chrono::seconds patience{1};

}  // namespace

Heart::Heart(runtime::Threads& threads, Nanoseconds first, std::function<std::optional<Nanoseconds>()> beat)
    : shared_(std::make_shared<Shared>(threads)),
      thread_(threads.start([shared = shared_, first, beat = std::move(beat)] { run(shared, first, beat); })) {}

Heart::~Heart() {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed->notify_all();
  const bool own = shared_->thread == shared_->threads.current();  // a callback of the beat ends it
  const runtime::Time until = shared_->threads.now() + patience;
  const bool finished = !own && shared_->changed->wait_until(lock, until, [this] { return shared_->finished; });
  lock.unlock();
  if (finished) {
    thread_->join();
  } else {
    thread_->detach();
  }
}

void Heart::run(const std::shared_ptr<Shared>& shared, Nanoseconds pause,
                const std::function<std::optional<Nanoseconds>()>& beat) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  shared->thread = shared->threads.current();
  const auto stopping = [&shared] { return shared->stopping; };
  while (!shared->changed->wait_until(lock, shared->threads.now() + pause, stopping)) {
    lock.unlock();
    const auto next = beat();
    lock.lock();
    if (!next) break;
    pause = *next;
  }
  shared->finished = true;
  shared->changed->notify_all();
}

}  // namespace rwlease::softlock
