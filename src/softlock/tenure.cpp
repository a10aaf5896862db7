#include "softlock/tenure.hpp"

#include "log.hpp"

#include <mutex>

namespace rwlease::softlock {
namespace {

// How long one waits for a heartbeat that hangs in the file system.
constexpr std::chrono::seconds patience{2};

}  // namespace

Tenure::Tenure(Base base, const Scene& scene, std::unique_ptr<Claim> claim, std::function<void(const Error&)> on_lost)
    : base_(std::move(base)), scene_(scene), claim_(std::move(claim)), on_lost_(std::move(on_lost)) {}

void Tenure::start() {
  if (scene_.site.terms.interval == Nanoseconds(0)) return;
  heart_ = std::make_unique<Heart>(runtime::Runtime::get().threads(), scene_.site.terms.interval,
                                   [self = weak_from_this()]() -> std::optional<Nanoseconds> {
                                     const auto tenure = self.lock();
                                     return tenure ? tenure->beat() : std::nullopt;
                                   });
}

std::optional<Nanoseconds> Tenure::beat() noexcept {
  Beat beat = Beat::failed;
  {
    const std::lock_guard<Turn> guard(turn_);
    if (state_.load() == State::held) beat = claim_->beat();
    if (state_.load() == State::left_to_heart) give_back_late();
    if (state_.load() == State::given_back) return std::nullopt;
  }
  // What was not in time stays over: others may have begun to count on it.
  if (beat == Beat::gone || !valid()) {
    tell_loss();
    return std::nullopt;
  }
  return protocol::pause_after(beat, scene_.site.terms);
}

void Tenure::give_back_late() noexcept {
  try {
    claim_->give_back();
  } catch (const Error& error) {
    scene_.site.say(protocol::Severity::warning, error.what());
  }
  state_.store(State::given_back);
  alive_.reset();  // the caller has one of its own
}

void Tenure::tell_loss() noexcept {
  try {
    if (on_lost_) on_lost_(LeaseLost("holding lock", scene_.path(), "it was taken away, or no heartbeat came in time"));
  } catch (...) {
    scene_.site.say(protocol::Severity::warning, "a callback of the lock " + scene_.path() +
                                                     " threw, which is ignored: " + text_of_current_exception());
  }
}

bool Tenure::mine() {
  const std::unique_lock<Turn> turn(turn_, patience);
  if (!turn) {
    throw Error("looking at lock", scene_.path(), "a heartbeat hangs in the file system; try again",
                std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  return claim_->mine();
}

bool Tenure::touch() {
  const std::unique_lock<Turn> turn(turn_, patience);
  return turn && claim_->beat() == Beat::counted;
}

void Tenure::leave() noexcept {
  state_.store(State::given_back);
  heart_.reset();
}

bool Tenure::give_back() {
  std::unique_ptr<Heart> heart;  // stopped when the turn is over: it may be waiting for it
  const std::unique_lock<Turn> turn(turn_, patience);
  if (!turn) {
    alive_ = shared_from_this();
    state_.store(State::left_to_heart);
    return false;
  }
  state_.store(State::given_back);
  heart = std::move(heart_);
  return claim_->give_back();
}

}  // namespace rwlease::softlock
