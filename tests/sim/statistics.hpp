// What a run of schedules has met.
#pragma once

#include "sim/plan.hpp"

#include <array>
#include <cstdint>

namespace rwlease::sim {

struct Statistics {
  std::uint64_t schedules = 0;
  std::uint64_t steps = 0;
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;  // holds
  std::uint64_t writes = 0;
  std::uint64_t downgrades = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t errors = 0;
  std::uint64_t losses = 0;       // holds that ended otherwise than by their release
  std::uint64_t suspensions = 0;  // told to the holder
  std::uint64_t renewals = 0;
  std::uint64_t evictions = 0;  // of markers, by others than their owner
  std::uint64_t swept = 0;      // schedules in which a later writer had something to clear away
  std::uint64_t stale_names = 0;
  std::uint64_t stale_attributes = 0;
  std::uint64_t stale_listings = 0;
  std::uint64_t torn_listings = 0;  // the directory changed between two replies of one listing
  std::array<std::uint64_t, fault_kinds> faults{};
  std::array<std::uint64_t, incident_kinds> incidents{};
};

}  // namespace rwlease::sim
