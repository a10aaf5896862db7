#include "clocks.hpp"

#include <time.h>
#include <rwlease/error.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace rwlease::selftest {
namespace {

constexpr int readings = 9;

std::int64_t read_clock(clockid_t id) {
  timespec now = {};
  clock_gettime(id, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Travels through the collectives as a whole number.
std::int64_t to_ns(double value) { return static_cast<std::int64_t>(value * 1e9); }

}  // namespace

Clocks::Clocks(const Team& all)
    : all_(all), began_(seconds(read_clock(CLOCK_BOOTTIME))), ahead_at_first_(ahead_of_first()) {}

// The median of some, because ranks leave a barrier at different times.
double Clocks::ahead_of_first() const {
  std::array<std::int64_t, readings> differences{};
  for (std::int64_t& difference : differences) {
    all_.barrier();
    const auto all_clocks = all_.gather(read_clock(CLOCK_BOOTTIME));
    difference = all_clocks[static_cast<std::size_t>(all_.rank())] - all_clocks[0];
  }
  std::nth_element(differences.begin(), differences.begin() + readings / 2, differences.end());
  return seconds(differences[readings / 2]);
}

std::vector<NodeClock> Clocks::measure(const Nodes& nodes, const std::string& place, const TimeStep& step) const {
  const double passed = seconds(read_clock(CLOCK_BOOTTIME)) - began_;
  const double gained = ahead_of_first() - ahead_at_first_;
  ClockOffset offset;
  try {
    offset = probe::measure_clock_offset(place, "clock-" + std::to_string(all_.rank()), step);
  } catch (const Error&) {
    offset = {};  // told by the phases
  }
  const auto offsets = all_.gather(to_ns(offset.seconds));
  const auto uncertainties = all_.gather(to_ns(std::min(offset.uncertainty, 1e6)));
  const auto rates = all_.gather(to_ns(passed > 0 ? gained / passed : 0));
  std::vector<NodeClock> clocks(nodes.hosts.size());
  for (std::size_t rank = nodes.of_rank.size(); rank-- > 0;) {
    clocks[static_cast<std::size_t>(nodes.of_rank[rank])] = {seconds(offsets[rank]), seconds(uncertainties[rank]),
                                                             seconds(rates[rank])};
  }
  return clocks;
}

}  // namespace rwlease::selftest
