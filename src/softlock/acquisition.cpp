#include "softlock/acquisition.hpp"

#include "runtime/runtime.hpp"

#include <algorithm>

namespace rwlease::softlock {
namespace {

// What may pass by itself is waited for as long as this.
constexpr Nanoseconds longest_failing = std::chrono::seconds(90);

}  // namespace

// The longest pause leaves room for the jitter; the poll does not grow: the user has chosen it.
Acquisition::Acquisition(const Scene& scene, Claim& claim, const Wanted& wanted)
    : scene_(scene),
      claim_(claim),
      wanted_(wanted),
      back_off_(scene.poll, scene.poll * 6 / 5, runtime::Runtime::get().threads()) {}

bool Acquisition::run() {
  for (;;) {
    check_cancelled();
    ++tried_;
    if (try_once()) return true;
    if (is_over()) return false;
    wait();
  }
}

bool Acquisition::try_once() {
  try {
    const bool taken = claim_.take();
    failing_since_.reset();
    return taken;
  } catch (const Error& error) {
    if (!tolerable(error)) throw;
    scene_.site.say(protocol::Severity::warning, std::string(error.what()) + "; trying again");
    return false;
  }
}

bool Acquisition::tolerable(const Error& error) {
  const Nanoseconds now = scene_.site.clock->boot();
  if (!failing_since_) failing_since_ = now;
  return fs::Result(error.code().value()).transient() && !is_over() && now - *failing_since_ <= longest_failing;
}

bool Acquisition::is_over() const {
  if (wanted_.tries != 0) return tried_ >= wanted_.tries;
  if (wanted_.deadline.is_forever()) return false;
  return wanted_.deadline.is_now() || Deadline::Clock::now() >= wanted_.deadline.when();
}

void Acquisition::check_cancelled() const {
  if (wanted_.cancel == nullptr || !wanted_.cancel->cancelled()) return;
  throw Cancelled("taking lock", scene_.path(), "cancelled while waiting");
}

// Until the lock's entry is removed on this host, or for a poll.
void Acquisition::wait() {
  // What happened before the watch began was not seen: look once more at once.
  const bool fresh = watch_.watch(scene_.site.directory->descriptor(), "", scene_.name);
  if (fresh && wanted_.tries == 0) return;
  back_off_.reset();
  Nanoseconds pause = back_off_.pause();
  if (!wanted_.deadline.is_forever() && !wanted_.deadline.is_now()) {
    pause = std::min<Nanoseconds>(pause, wanted_.deadline.when() - Deadline::Clock::now());
  }
  runtime::Runtime::get().threads().wait(watch_, std::max(pause, Nanoseconds(0)),
                                         wanted_.cancel == nullptr ? -1 : wanted_.cancel->descriptor());
}

}  // namespace rwlease::softlock
