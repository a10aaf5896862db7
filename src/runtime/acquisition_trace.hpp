// What a trace tells of one acquire.
#pragma once

#include "protocol/attempt.hpp"
#include "runtime/trace.hpp"

#include <rwlease/lease.hpp>

#include <string>

namespace rwlease::runtime {

// Does nothing where no trace is wanted. Events: `wait` when it begins; `blocked` when others are in the way than
// before, with their ids and whether this writer has claimed; then one of `held` and `gave-up`. They share the number
// `acquire`.
class AcquisitionTrace {
 public:
  AcquisitionTrace(const protocol::Site& site, Mode mode);
  ~AcquisitionTrace();
  AcquisitionTrace(const AcquisitionTrace&) = delete;
  AcquisitionTrace& operator=(const AcquisitionTrace&) = delete;

  // Before a step, and after one that did not get the lease.
  void step_begins() noexcept;
  void step_failed(const protocol::Attempt& attempt) noexcept;

  void held(const protocol::Grant& grant) noexcept;

 private:
  Trace* const trace_;
  const fs::Clock& clock_;
  std::string number_;
  std::string blocked_by_;
  fs::Nanoseconds step_began_{};
  bool over_ = false;
};

}  // namespace rwlease::runtime
