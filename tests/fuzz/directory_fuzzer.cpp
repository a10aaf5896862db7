// A lock directory of any content, and any turns of others, under status, acquire, renewal and the sweep.
#include "fault.hpp"
#include "oracle.hpp"
#include "scene.hpp"

#include "protocol/renewal.hpp"
#include "protocol/survey.hpp"
#include "protocol/sweep.hpp"

#include <rwlease/error.hpp>

#include <optional>

namespace rwlease::fuzz {
namespace {

// One participant: its attempts, its lease, its sweep.
class Participant {
 public:
  Participant(Scene& scene, Oracle& oracle, FuzzedDataProvider& data) : scene_(scene), oracle_(oracle), data_(data) {}

  // The documented exceptions, and none that names a token.
  template <class Action>
  void guarded(Action action) {
    constexpr int calls_of_one_step = 5000;
    oracle_.allow_calls(calls_of_one_step);
    try {
      action();
    } catch (const Error& error) {
      require(std::string(error.what()).find(test::Tokens::mark) == std::string::npos, "a message names a token");
      attempt_.reset();
    }
  }

  void act() {
    constexpr std::uint8_t last = 9;
    switch (data_.ConsumeIntegralInRange<std::uint8_t>(0, last)) {
      case 0:
        return guarded(
            [&] { static_cast<void>(protocol::survey(scene_.file_system, *scene_.host, lock_name, lock_path)); });
      case 1:
        return step(false);
      case 2:
        return step(true);
      case 3:
        return scene_.advance(scene_.terms.lease * data_.ConsumeIntegral<std::uint8_t>() / 64);
      case 4:
        return guarded([&] { attempt_.reset(); });
      case 5:
        return release();
      case 6:
        return heartbeat_or_renew();
      case 7:
        return watch(false);
      case 8:
        return watch(true);
      default:
        return scene_.let_others_act();
    }
  }

  void leave() {
    guarded([&] { attempt_.reset(); });
    release();
  }

 private:
  void step(bool writes) {
    guarded([&] {
      if (grant_ || !scene_.directory) return;
      if (attempt_ && writes != writes_) attempt_.reset();
      writes_ = writes;
      if (!attempt_)
        attempt_ = writes ? protocol::make_write_attempt(scene_.site()) : protocol::make_read_attempt(scene_.site());
      if (attempt_->step() != protocol::Progress::held) return;
      grant_.emplace(attempt_->take());
      if (writes) oracle_.check_write_grant(grant_->marker.name());
      if (!writes) oracle_.check_read_grant();
      attempt_.reset();
    });
  }

  // As one does who waits: often enough for the observer's window. Others may show life in between.
  void watch(bool writes) {
    constexpr int looks_in_a_window = 8;
    const Nanoseconds longest = data_.PickValueInArray<Nanoseconds>({scene_.terms.lease, 90s, 3600s});
    const int others = data_.ConsumeIntegralInRange<int>(0, 3);
    for (int i = 0; i < 2 * looks_in_a_window + 4; ++i) {
      if (i % 5 < others) scene_.let_others_act();
      if (grant_) {
        sweep();
      } else {
        step(writes);
      }
      scene_.advance(longest / looks_in_a_window);
    }
  }

  void sweep() {
    guarded([&] {
      if (!sweep_) sweep_.emplace(scene_.site());
      sweep_->add(grant_->leftovers);
      sweep_->add_from_lock_directory();
      sweep_->look();
    });
  }

  void heartbeat_or_renew() {
    guarded([&] {
      if (!grant_) return;
      if (grant_->marker.validity().in_force(scene_.clock)) {
        static_cast<void>(grant_->marker.beat(scene_.site()));
        return;
      }
      protocol::Renewer renewer(scene_.site());
      if (renewer.renew(grant_->marker) == protocol::Renewal::lost) grant_.reset();
    });
  }

  void release() {
    guarded([&] {
      if (grant_) protocol::release_marker(scene_.site(), grant_->marker);
      grant_.reset();
    });
  }

  Scene& scene_;
  Oracle& oracle_;
  FuzzedDataProvider& data_;
  std::unique_ptr<protocol::Attempt> attempt_;
  std::optional<protocol::Grant> grant_;
  std::optional<protocol::Sweep> sweep_;
  bool writes_ = false;
};

void run(const std::uint8_t* bytes, std::size_t size) {
  constexpr int most_turns = 12;
  FuzzedDataProvider data(bytes, size);
  Scene scene(data);
  Oracle oracle(scene);
  Participant participant(scene, oracle, data);
  participant.guarded([&] { scene.open(); });
  for (int turn = 0; turn < most_turns && data.remaining_bytes() > 0; ++turn) participant.act();
  participant.leave();
  for (const std::string& line : scene.log) {
    require(line.find(test::Tokens::mark) == std::string::npos, "the log names a token");
  }
}

}  // namespace
}  // namespace rwlease::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rwlease::fuzz::run(data, size);
  return 0;
}
