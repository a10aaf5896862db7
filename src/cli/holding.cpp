#include "holding.hpp"

#include "fence_file.hpp"
#include "lock_order.hpp"
#include "output.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <utility>

namespace rwlease::cli {

void LeaseHolding::add(std::unique_ptr<Lock> lock, Mode mode) { parts_.push_back({std::move(lock), mode, Lease()}); }

void LeaseHolding::acquire(Deadline deadline, const Cancel& cancel, LostCallback on_lost) {
  try {
    for (Part* part : in_fixed_order()) {
      part->lease = part->lock->acquire(part->mode, deadline, &cancel);
      taken_.push_back(part);
      part->lease.on_lost(on_lost);
    }
    if (fence_file_) write_fence_file(*fence_file_, fences());
  } catch (...) {
    give_back();
    throw;
  }
}

std::vector<LeaseHolding::Part*> LeaseHolding::in_fixed_order() {
  std::vector<LockPlace> places;
  for (const Part& part : parts_) places.push_back({part.lock->name(), part.mode});
  std::vector<Part*> ordered;
  for (const std::size_t index : fixed_order(places)) ordered.push_back(&parts_[index]);
  return ordered;
}

ReleaseResult LeaseHolding::give_back() {
  ReleaseResult all = ReleaseResult::released;
  for (; !taken_.empty(); taken_.pop_back()) {
    const ReleaseResult result = taken_.back()->lease.release();
    if (result != ReleaseResult::released) all = result;
  }
  return all;
}

bool LeaseHolding::is_valid() const noexcept {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.lease.valid(); });
}

std::chrono::nanoseconds LeaseHolding::remaining() const noexcept {
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  for (const Part& part : parts_) least = std::min(least, part.lease.remaining());
  return least;
}

std::string LeaseHolding::fences() const {
  std::string lines;
  for (const Part& part : parts_) {
    lines += (lines.empty() ? "" : "\n") + std::to_string(part.lease.fence());
  }
  return lines;
}

std::string LeaseHolding::lost_part() const {
  auto part = std::find_if(parts_.begin(), parts_.end(), [](const Part& p) { return p.lease && !p.lease.valid(); });
  if (part == parts_.end()) part = parts_.begin();
  return "the lease to " + std::string(to_string(part->mode)) + ' ' + part->lock->name().string();
}

void SoftHolding::acquire(Deadline deadline, const Cancel& cancel, LostCallback on_lost) {
  options_.on_failure = [on_lost = std::move(on_lost)](const Error& error) {
    if (dynamic_cast<const LeaseLost*>(&error) != nullptr) on_lost(LossReason::evicted);
  };
  lock_.emplace(path_, options_);
  const LockResult result = options_.tries != 0 ? lock_->acquire(&cancel) : lock_->acquire(deadline, &cancel);
  if (result) return;
  throw LockBusy("taking lock", path_, result.owner ? "it is held by " + to_string(*result.owner) : "it was busy",
                 result.owner);
}

ReleaseResult SoftHolding::give_back() {
  try {
    return lock_->release();
  } catch (const Error& error) {
    say(error.what());
    return ReleaseResult::already_lost;
  }
}

}  // namespace rwlease::cli
