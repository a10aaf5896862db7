// What is timed, and under which load.
#pragma once

#include "histogram.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace rwlease::selftest {

enum class Operation {
  acquire_read,
  release_read,
  acquire_write,
  release_write,
  collective_acquire,
  collective_check,
  collective_release,
  hand_off,       // one leaves, one that waited for it is in: by the referee's clock
  recovery,       // the last heartbeat of one that dies, another is in
  heartbeat_gap,  // between two heartbeats, as another node sees them
  make_marker,
  publish_marker,  // rename into another directory
  touch,
  look,
  list_fresh,  // own change, then listing: three calls
  remove_marker,
  make_directory,
  claim,  // rename of a directory
  remove_directory,
};
constexpr std::size_t operation_count = 19;

enum class Load {
  alone,      // nobody else uses the file system for the self-test
  together,   // all ranks do, but each on names of its own
  contended,  // on the same lock
};
constexpr std::size_t load_count = 3;

std::string_view to_string(Operation) noexcept;
std::string_view to_string(Load) noexcept;

class Timings {
 public:
  void add(Operation operation, Load load, std::chrono::nanoseconds duration) noexcept {
    at(operation, load).add(duration);
  }

  template <class Act>
  auto timed(Operation operation, Load load, Act act) {
    const auto begin = std::chrono::steady_clock::now();
    auto outcome = act();
    add(operation, load, std::chrono::steady_clock::now() - begin);
    return outcome;
  }

  Histogram& at(Operation operation, Load load) noexcept {
    return histograms_[static_cast<std::size_t>(operation) * load_count + static_cast<std::size_t>(load)];
  }

  // Calls `visit(operation, load, histogram)` for each that is not empty, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t index = 0; index < histograms_.size(); ++index) {
      if (histograms_[index].count() == 0) continue;
      visit(static_cast<Operation>(index / load_count), static_cast<Load>(index % load_count), histograms_[index]);
    }
  }

  // Collective.
  void merge(const Team& team) {
    for (Histogram& histogram : histograms_) histogram = histogram.merged(team);
  }

 private:
  std::array<Histogram, operation_count * load_count> histograms_;
};

}  // namespace rwlease::selftest
