#include "probe/lease_cost.hpp"

#include <rwlease/lock.hpp>

#include <algorithm>

namespace rwlease::probe {
namespace {

using Clock = std::chrono::steady_clock;

// All rounds of one call.
class Samples {
 public:
  Samples(std::string call, const Mount& mount) : call_(std::move(call)), mount_(mount) {}

  template <class Act>
  void timed(Act act) {
    const Requests before = sent();
    const auto begin = Clock::now();
    act();
    durations_.push_back(Clock::now() - begin);
    const Requests since = difference(before, sent());
    // Others on the same mount only add to it.
    if (requests_.empty() || total(since) < total(requests_)) requests_ = since;
  }

  CallCost cost() {
    std::sort(durations_.begin(), durations_.end());
    return {call_, durations_[durations_.size() / 2], durations_.back(), requests_};
  }

 private:
  Requests sent() const { return mount_.is_nfs() ? requests_of(read_proc("mountstats"), mount_.point) : Requests(); }

  std::string call_;
  const Mount& mount_;
  std::vector<std::chrono::nanoseconds> durations_;
  Requests requests_;
};

Options at_once() {
  Options options;
  options.stand_back = std::chrono::milliseconds(0);
  return options;
}

}  // namespace

std::vector<CallCost> measure_lease_cost(const std::string& directory, const Mount& mount,
                                         const std::function<void()>& between) {
  constexpr int most_rounds = 50;
  const auto end = Clock::now() + std::chrono::seconds(2);
  Lock lock(directory + "/cost", at_once());
  lock.acquire(Mode::write).release();  // the first one makes the lock directory
  Samples samples[] = {
      {"acquire_read", mount}, {"release_read", mount}, {"acquire_write", mount}, {"release_write", mount}};
  for (int round = 0; round < most_rounds && (round == 0 || Clock::now() < end); ++round) {
    for (const Mode mode : {Mode::read, Mode::write}) {
      between();
      Samples* const pair = &samples[mode == Mode::read ? 0 : 2];
      Lease lease;
      pair[0].timed([&] { lease = lock.acquire(mode); });
      pair[1].timed([&] { lease.release(); });
    }
  }
  std::vector<CallCost> costs;
  for (Samples& each : samples) costs.push_back(each.cost());
  return costs;
}

}  // namespace rwlease::probe
