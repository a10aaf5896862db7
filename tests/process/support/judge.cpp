#include "process/support/judge.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace rwlease::test {
namespace {

// Calls found(earlier, later) for every pair that was inside together.
template <class Found>
void each_overlap(std::vector<Hold>& holds, Found found) {
  std::sort(holds.begin(), holds.end(), [](const Hold& a, const Hold& b) { return a.entered < b.entered; });
  std::vector<const Hold*> inside;
  for (const Hold& hold : holds) {
    const auto gone = [&hold](const Hold* earlier) { return earlier->left <= hold.entered; };
    inside.erase(std::remove_if(inside.begin(), inside.end(), gone), inside.end());
    for (const Hold* earlier : inside) found(*earlier, hold);
    inside.push_back(&hold);
  }
}

}  // namespace

Hold parse_hold(const std::string& text, std::string who) {
  std::istringstream words(text);
  std::string mode;
  long long asked = 0;
  long long entered = 0;
  long long left = 0;
  if (!(words >> mode >> asked >> entered >> left) || (mode != "read" && mode != "write")) {
    throw std::runtime_error("not a hold: " + text);
  }
  using std::chrono::nanoseconds;
  return {mode == "write", nanoseconds(asked), nanoseconds(entered), nanoseconds(left), std::move(who)};
}

std::vector<Overlap> excluding_overlaps(std::vector<Hold> holds) {
  std::vector<Overlap> overlaps;
  each_overlap(holds, [&overlaps](const Hold& first, const Hold& second) {
    if (first.writes || second.writes) overlaps.push_back({first, second});
  });
  return overlaps;
}

std::size_t shared_reads(std::vector<Hold> holds) {
  std::size_t pairs = 0;
  each_overlap(holds, [&pairs](const Hold& first, const Hold& second) {
    if (!first.writes && !second.writes) ++pairs;
  });
  return pairs;
}

std::string describe(const std::vector<Overlap>& overlaps) {
  std::ostringstream text;
  for (const auto& [first, second] : overlaps) {
    for (const Hold& hold : {first, second}) {
      text << hold.who << (hold.writes ? " wrote " : " read ") << hold.entered.count() << " to " << hold.left.count()
           << "; ";
    }
    text << "\n";
  }
  return text.str();
}

}  // namespace rwlease::test
