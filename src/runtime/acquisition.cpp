#include "runtime/acquisition.hpp"

#include "fs/result.hpp"
#include "log.hpp"
#include "protocol/failure.hpp"
#include "protocol/observer.hpp"
#include "protocol/survey.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>

namespace rwlease::runtime {
namespace {

using fs::Nanoseconds;

// Obstacles are told after this long, then each time after twice as long, up to the longest.
constexpr Nanoseconds first_told = std::chrono::seconds(1);
constexpr Nanoseconds longest_untold = std::chrono::minutes(5);

}  // namespace

Acquisition::Acquisition(Instance& instance, const protocol::Site& site, const Options& options, const Wanted& wanted)
    : instance_(instance),
      site_(site),
      wanted_(wanted),
      began_(site.clock->boot()),
      attempt_(wanted.mode == Mode::read ? protocol::make_read_attempt(site) : protocol::make_write_attempt(site)),
      back_off_(options.poll_min, options.poll_max, instance.runtime().threads()),
      tell_after_(first_told),
      trace_(site, wanted.mode) {}

std::optional<protocol::Grant> Acquisition::run() {
  if (wanted_.mode == Mode::write) stand_back();
  for (;;) {
    check_cancelled();
    trace_.step_begins();
    if (step() == protocol::Progress::held) {
      auto grant = attempt_->take();
      trace_.held(grant);
      return grant;
    }
    trace_.step_failed(*attempt_);
    if (time_is_over()) return std::nullopt;
    tell_obstacle();
    wait();
  }
}

protocol::Progress Acquisition::step() {
  try {
    const protocol::Progress progress = attempt_->step();
    const fs::Result trouble = progress == protocol::Progress::held ? fs::Result() : attempt_->trouble();
    if (!trouble.ok()) protocol::fail("looking at those in the way in", site_.directory->path(), trouble);
    failing_since_.reset();
    return progress;
  } catch (const protocol::DirectoryGone&) {
    throw;
  } catch (const Error& error) {
    if (!tolerable(error)) throw;
    log_line(LogLevel::warning, std::string(error.what()) + "; trying again");
    return protocol::Progress::wait;
  }
}

// What may pass by itself is waited for, as long as a lease or the deadline; what will not is told at once.
bool Acquisition::tolerable(const Error& error) {
  const Nanoseconds now = site_.clock->boot();
  if (!failing_since_) failing_since_ = now;
  const bool may_pass = fs::Result(error.code().value()).transient();
  return may_pass && !time_is_over() && now - *failing_since_ <= site_.terms.lease;
}

bool Acquisition::time_is_over() const {
  if (wanted_.deadline.is_forever()) return false;
  return wanted_.deadline.is_now() || threads().now() >= wanted_.deadline.when();
}

void Acquisition::check_cancelled() const {
  if (wanted_.cancel == nullptr || !wanted_.cancel->cancelled()) return;
  throw Cancelled("acquiring " + std::string(to_string(wanted_.mode)) + " lease on", site_.directory->path(),
                  "cancelled while waiting");
}

// A process that has just released a write lease lets those go first who wait.
void Acquisition::stand_back() {
  if (wanted_.deadline.is_now()) return;
  fs::EntryWatch nothing;
  for (;;) {
    check_cancelled();
    const Nanoseconds left = instance_.stand_back() - site_.clock->boot();
    if (left <= Nanoseconds(0) || time_is_over()) return;
    static_cast<void>(threads().wait(nothing, std::min(left, pause()), cancel_descriptor()));
  }
}

// Until something was removed where the attempt waits, on this host; or for a poll.
void Acquisition::wait() {
  const auto awaited = attempt_->awaited();
  // What happened before the watch began was not seen: look once more at once.
  if (watch_.watch(site_.directory->descriptor(), awaited.directory, awaited.entry)) return;
  if (threads().wait(watch_, pause(), cancel_descriptor()) == fs::Woken::change) back_off_.reset();
}

Threads& Acquisition::threads() const noexcept { return instance_.runtime().threads(); }

int Acquisition::cancel_descriptor() const noexcept {
  return wanted_.cancel == nullptr ? -1 : wanted_.cancel->descriptor();
}

// A poll, or less when the deadline or the attempt's own heartbeat comes first.
fs::Nanoseconds Acquisition::pause() {
  Nanoseconds pause = back_off_.pause();
  if (!wanted_.deadline.is_forever() && !wanted_.deadline.is_now()) {
    pause = std::min<Nanoseconds>(pause, wanted_.deadline.when() - threads().now());
  }
  if (const auto beat = attempt_->next_beat()) pause = std::min(pause, *beat - site_.clock->boot());
  return std::max(pause, Nanoseconds(0));
}

void Acquisition::tell_obstacle() {
  const Nanoseconds waited = site_.clock->boot() - began_;
  if (!*wanted_.on_waiting || waited < tell_after_) return;
  tell_after_ = waited + std::min(waited, longest_untold);
  const auto first = first_in_the_way();
  if (!first) return;
  Obstacle obstacle;
  obstacle.wanted = wanted_.mode;
  obstacle.holder = *first;
  obstacle.others = attempt_->in_the_way().size() - 1;
  obstacle.waited = std::chrono::duration_cast<std::chrono::milliseconds>(waited);
  (*wanted_.on_waiting)(obstacle);
}

std::optional<Participant> Acquisition::first_in_the_way() const {
  const auto entries = attempt_->in_the_way();
  if (entries.empty()) return std::nullopt;
  return protocol::describe(*site_.directory, *site_.host, entries.front());
}

std::string Acquisition::obstacle_text() const {
  const auto entries = attempt_->in_the_way();
  if (entries.empty()) return "";
  std::string text = "; in the way: " + protocol::shown_name(protocol::base_name(entries.front()));
  if (entries.size() > 1) text += " and " + std::to_string(entries.size() - 1) + " more";
  return text;
}

}  // namespace rwlease::runtime
