#include "probe/between_mounts.hpp"

#include "probe/glimpse.hpp"

namespace rwlease::probe {

Freshness test_between(const std::string& changed, const std::string& looked, MarkerKind kind,
                       const std::function<void()>& between) {
  constexpr int most_rounds = 20;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  Freshness result;
  result.changed = changed;
  result.looked = looked;
  const Folder own(changed, kind);
  const Folder theirs(looked, kind);
  const GlimpseReport report{[&result](const std::string& what) {
                               if (result.failures++ == 0) result.first_failure = what;
                             },
                             [&result](std::chrono::nanoseconds) { ++result.looks; },
                             [&result](std::chrono::nanoseconds) { ++result.listings; }, [] {}};
  for (int round = 0; round < most_rounds && (round == 0 || std::chrono::steady_clock::now() < end); ++round) {
    between();
    Glimpse glimpse(own, theirs, true, std::to_string(round), "x", report);
    for (const Glimpse::Step& step : glimpse.steps()) {
      step.change();
      step.look();
    }
  }
  return result;
}

}  // namespace rwlease::probe
