// Waiting for a lease: one attempt, polled until it is granted, the time is over, or it is cancelled.
#pragma once

#include "protocol/attempt.hpp"
#include "runtime/acquisition_trace.hpp"
#include "runtime/back_off.hpp"
#include "runtime/instance.hpp"
#include "runtime/threads.hpp"

#include <rwlease/cancel.hpp>
#include <rwlease/deadline.hpp>
#include <rwlease/error.hpp>
#include <rwlease/lock.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace rwlease::runtime {

struct Wanted {
  Mode mode;
  Deadline deadline;
  const Cancel* cancel;  // or null
  const std::function<void(const Obstacle&)>* on_waiting;
};

// One deadline over all phases. Whatever ends it but a grant has withdrawn everything. One thread.
class Acquisition {
 public:
  Acquisition(Instance& instance, const protocol::Site& site, const Options& options, const Wanted& wanted);

  // Nothing when the deadline passed. Throws Cancelled, Error, protocol::DirectoryGone, and what on_waiting throws.
  std::optional<protocol::Grant> run();

  // Why it took so long: who is in the way.
  std::string obstacle_text() const;

 private:
  void stand_back();
  protocol::Progress step();
  bool tolerable(const Error& error);
  bool time_is_over() const;
  void check_cancelled() const;
  void wait();
  fs::Nanoseconds pause();
  Threads& threads() const noexcept;
  int cancel_descriptor() const noexcept;
  void tell_obstacle();
  std::optional<Participant> first_in_the_way() const;

  Instance& instance_;
  const protocol::Site& site_;
  const Wanted wanted_;
  const fs::Nanoseconds began_;
  std::unique_ptr<protocol::Attempt> attempt_;
  BackOff back_off_;
  fs::EntryWatch watch_;
  std::optional<fs::Nanoseconds> failing_since_;
  fs::Nanoseconds tell_after_;
  AcquisitionTrace trace_;
};

}  // namespace rwlease::runtime
