#include "report.hpp"

#include "duration.hpp"

#include <cmath>

namespace rwlease::selftest {
namespace {

// Leases keep a margin of a tenth for clocks that run at different rates; half of that is too near.
constexpr double greatest_rate_error = 0.05;

std::string times(std::uint64_t number) { return number == 1 ? "" : " (" + std::to_string(number) + " times)"; }

std::string plural(std::uint64_t number, const std::string& thing) {
  return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> Report::reasons() const {
  std::vector<std::string> reasons;
  if (!refusal.empty()) reasons.push_back(refusal);
  for (const PhaseResult& phase : phases) {
    if (phase.failures == 0) continue;
    reasons.push_back(phase.name + ": " + phase.first_failure + times(phase.failures));
  }
  for (std::size_t node = 0; node < clocks.size(); ++node) {
    if (std::abs(clocks[node].rate_error) <= greatest_rate_error) continue;
    reasons.push_back("clocks: that of " + nodes.hosts[node] + " runs at another rate than that of " + nodes.hosts[0]);
  }
  if (reasons.empty() && settings.breakage != Breakage::none) {
    reasons.push_back("it was broken on purpose (--break), and no phase noticed");
  }
  return reasons;
}

bool Report::certified() const { return reasons().empty(); }

std::uint64_t Report::leases() const {
  std::uint64_t sum = 0;
  for (const PhaseResult& phase : phases) {
    for (const auto& [what, number] : phase.counts) {
      if (what == "reads" || what == "writes") sum += number;
    }
  }
  return sum;
}

std::string Report::verdict() const {
  const auto why = reasons();
  if (!why.empty()) {
    std::string line = "REFUSED: " + settings.directory + ": " + why.front();
    if (why.size() > 1) line += "; and " + plural(why.size() - 1, "other reason");
    return line;
  }
  const auto whole = std::chrono::milliseconds(static_cast<std::int64_t>(seconds) * 1000);
  const std::string scope = nodes.count() == 1 ? " for this host only, " + nodes.hosts[0] : "";
  return "CERTIFIED" + scope + ": " + settings.directory + ": " + plural(nodes.of_rank.size(), "rank") + " on " +
         plural(nodes.hosts.size(), "node") + ", " + plural(leases(), "lease") + " judged in " + cli::to_text(whole);
}

}  // namespace rwlease::selftest
