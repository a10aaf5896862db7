// Waiting for what others do with a lock: Lock::wait_until_free, Lock::wait_for_fence.
#include <rwlease/lock.hpp>

#include "log.hpp"
#include "protocol/vigil.hpp"
#include "runtime/back_off.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace rwlease {
namespace {

using fs::Nanoseconds;

constexpr const char* waiting_for = "waiting for";

protocol::Site judging_site(runtime::Runtime& runtime, const Options& options) {
  protocol::Site site;
  site.clock = &runtime.clock();
  site.host = &runtime.host();
  site.terms = {options.interval, options.effective_lease(), options.effective_margin()};
  site.trust_proof_of_death = options.trust_proof_of_death;
  site.job_oracle = options.job_oracle;
  return site;
}

// One wait: polled until it is over, on the calling thread.
class Watchman {
 public:
  Watchman(const Lock& lock, Deadline deadline, const Cancel* cancel)
      : runtime_(runtime::Runtime::get()),
        options_(lock.options()),
        path_(lock.directory().string()),
        deadline_(deadline),
        cancel_(cancel),
        vigil_(runtime_.file_system(), path_, judging_site(runtime_, options_)),
        back_off_(options_.poll_min, options_.poll_max, runtime_.threads()) {}

  bool until_free() {
    return until([this] { return vigil_.is_free(); },
                 [this](int directory) {
                   const auto awaited = vigil_.awaited();
                   return watch_.watch(directory, awaited.directory, awaited.entry);
                 });
  }

  bool until_fence(std::uint64_t fence) {
    return until([this, fence] { return vigil_.fence() >= fence; },
                 [this](int directory) { return watch_.watch_changes(directory, protocol::readers_name); });
  }

 private:
  // False when the time is over first. `watch` begins to watch what may end the wait; true when it did not before.
  bool until(const std::function<bool()>& over, const std::function<bool(int)>& watch) {
    for (;;) {
      if (cancel_ != nullptr && cancel_->cancelled()) throw Cancelled(waiting_for, path_, "cancelled while waiting");
      if (tolerant(over)) return true;
      if (time_is_over()) return false;
      const auto* directory = vigil_.directory();
      // What happened before the watch began was not seen: look once more at once.
      if (directory != nullptr && watch(directory->descriptor())) continue;
      const int cancelled = cancel_ == nullptr ? -1 : cancel_->descriptor();
      if (runtime_.threads().wait(watch_, pause(), cancelled) == fs::Woken::change) back_off_.reset();
    }
  }

  // What may pass by itself is waited for, as long as a lease.
  bool tolerant(const std::function<bool()>& over) {
    try {
      const bool is_over = over();
      failing_since_.reset();
      return is_over;
    } catch (const Error& error) {
      const Nanoseconds now = runtime_.clock().boot();
      if (!failing_since_) failing_since_ = now;
      const bool may_pass = fs::Result(error.code().value()).transient();
      if (!may_pass || time_is_over() || now - *failing_since_ > options_.effective_lease()) throw;
      log_line(LogLevel::warning, std::string(error.what()) + "; trying again");
      return false;
    }
  }

  bool time_is_over() const {
    return !deadline_.is_forever() && (deadline_.is_now() || runtime_.threads().now() >= deadline_.when());
  }

  Nanoseconds pause() {
    Nanoseconds pause = back_off_.pause();
    if (!deadline_.is_forever()) pause = std::min<Nanoseconds>(pause, deadline_.when() - runtime_.threads().now());
    return std::max(pause, Nanoseconds(0));
  }

  runtime::Runtime& runtime_;
  const Options& options_;
  const std::string path_;
  const Deadline deadline_;
  const Cancel* const cancel_;
  protocol::Vigil vigil_;
  runtime::BackOff back_off_;
  fs::EntryWatch watch_;
  std::optional<Nanoseconds> failing_since_;
};

}  // namespace

bool Lock::wait_until_free(Deadline deadline, const Cancel* cancel) const {
  return Watchman(*this, deadline, cancel).until_free();
}

bool Lock::wait_for_fence(std::uint64_t fence, Deadline deadline, const Cancel* cancel) const {
  return Watchman(*this, deadline, cancel).until_fence(fence);
}

}  // namespace rwlease
