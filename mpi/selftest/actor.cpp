#include "actor.hpp"

#include <exception>
#include <utility>

namespace rwlease::selftest {
namespace {

std::string error_of(const std::function<void()>& task) {
  try {
    task();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

Actor::Actor() : thread_([this] { work(); }) {}

Actor::~Actor() {
  cancel_.cancel();
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Actor::start(std::function<void()> task) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    task_ = std::move(task);
    error_.clear();
  }
  changed_.notify_all();
}

bool Actor::done() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return !task_;
}

std::string Actor::error() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return error_;
}

std::string Actor::run(Waiting& waiting, std::function<void()> task) {
  start(std::move(task));
  waiting.until([this] { return done(); });
  return error();
}

void Actor::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || task_; });
    if (!task_) return;
    const std::function<void()> task = task_;
    lock.unlock();
    std::string error = error_of(task);
    lock.lock();
    error_ = std::move(error);
    task_ = nullptr;
  }
}

}  // namespace rwlease::selftest
