// Judges recorded holds: did two that exclude each other overlap?
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace rwlease::test {

// What one participant saw of one lease, on a clock that all participants share.
struct Hold {
  bool writes = false;
  std::chrono::nanoseconds asked{};    // just before the acquire
  std::chrono::nanoseconds entered{};  // just after it was granted
  std::chrono::nanoseconds left{};     // just before it was given back
  std::string who;
};

// A participant's report, "read|write ASKED ENTERED LEFT" in nanoseconds. Throws std::runtime_error for anything else.
Hold parse_hold(const std::string& text, std::string who);

struct Overlap {
  Hold first;  // the one that entered first
  Hold second;
};

// Every pair of which at least one writes and that were inside at one moment. One that enters at the very moment when
// the other leaves does not overlap it.
std::vector<Overlap> excluding_overlaps(std::vector<Hold> holds);

// How many pairs of readers were inside together.
std::size_t shared_reads(std::vector<Hold> holds);

// For failure messages.
std::string describe(const std::vector<Overlap>& overlaps);

}  // namespace rwlease::test
