#include "runtime/threads.hpp"

#include <rwlease/error.hpp>

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

namespace rwlease::runtime {
namespace {

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

class SystemCondition final : public Condition {
 public:
  void notify_all() noexcept override { condition_.notify_all(); }
  void wait(std::unique_lock<std::mutex>& lock) override { condition_.wait(lock); }
  bool wait_until(std::unique_lock<std::mutex>& lock, Time when) override {
    return condition_.wait_until(lock, when) == std::cv_status::no_timeout;
  }

 private:
  std::condition_variable condition_;
};

class SystemThread final : public Thread {
 public:
  explicit SystemThread(std::function<void()> body) : thread_(std::move(body)) {}
  void join() override { thread_.join(); }
  void detach() noexcept override { thread_.detach(); }

 private:
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Thread> SystemThreads::start(std::function<void()> body) {
  const SignalsBlocked blocked;
  try {
    return std::make_unique<SystemThread>(std::move(body));
  } catch (const std::system_error& e) {
    throw Error("starting a heartbeat thread", "", e.code().message(), e.code());
  }
}

std::unique_ptr<Condition> SystemThreads::make_condition() { return std::make_unique<SystemCondition>(); }

std::uint64_t SystemThreads::current() const noexcept {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t mine = last.fetch_add(1) + 1;
  return mine;
}

Time SystemThreads::now() const noexcept { return Deadline::Clock::now(); }

void SystemThreads::sleep(Nanoseconds duration) { std::this_thread::sleep_for(duration); }

fs::Woken SystemThreads::wait(fs::EntryWatch& watch, Nanoseconds duration, int cancel_descriptor) {
  return watch.wait(duration, cancel_descriptor);
}

unsigned SystemThreads::random_seed() { return std::random_device{}(); }

}  // namespace rwlease::runtime
