// The durations that most tests use.
#pragma once

#include <string>
#include <vector>

namespace rwlease::test {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A lease far longer than any test: whoever gets in although such a holder died, got in by proof.
inline const Words long_lease = {"interval=20000", "lease=60000", "poll_min=5", "poll_max=100"};

// A lease that tests can see out, yet long enough for a loaded machine to show life in time.
inline const Words short_lease = {"interval=200", "lease=1500", "margin=300", "poll_min=5", "poll_max=100"};
inline constexpr int short_lease_ms = 1500;

inline const Words no_proof = {"proof=0"};

}  // namespace rwlease::test
