// Waiting for a soft lock.
#pragma once

#include "fs/entry_watch.hpp"
#include "runtime/back_off.hpp"
#include "softlock/claim.hpp"

#include <rwlease/cancel.hpp>
#include <rwlease/deadline.hpp>
#include <rwlease/error.hpp>

#include <optional>

namespace rwlease::softlock {

struct Wanted {
  Deadline deadline = Deadline::forever();
  int tries = 0;  // 0: as many as there is time for
  const Cancel* cancel = nullptr;
};

// One claim, tried until it is granted, or the time or the tries are over, or it is cancelled. One thread.
class Acquisition {
 public:
  Acquisition(const Scene& scene, Claim& claim, const Wanted& wanted);

  // False when time or tries are over. Throws Cancelled, Error.
  bool run();

 private:
  bool try_once();
  bool tolerable(const Error& error);
  bool is_over() const;
  void check_cancelled() const;
  void wait();

  const Scene& scene_;
  Claim& claim_;
  const Wanted wanted_;
  int tried_ = 0;
  runtime::BackOff back_off_;
  fs::EntryWatch watch_;
  std::optional<Nanoseconds> failing_since_;
};

}  // namespace rwlease::softlock
