// What the harness reports, and the faults that it is given to show that it would report them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rwlease::fuzz {

enum class Fault { none, lenient_names, cached_looks, blind_listings, everybody_dead };

// Chosen by the environment; see tests/fuzz/run --faults.
inline Fault fault() {
  static const Fault chosen = [] {
    const char* name = std::getenv("RWLEASE_FUZZ_FAULT");
    const std::string text = name == nullptr ? "" : name;
    if (text == "lenient_names") return Fault::lenient_names;
    if (text == "cached_looks") return Fault::cached_looks;
    if (text == "blind_listings") return Fault::blind_listings;
    if (text == "everybody_dead") return Fault::everybody_dead;
    return Fault::none;
  }();
  return chosen;
}

// A finding: libFuzzer writes down the input that led to it.
inline void require(bool holds, const std::string& otherwise) {
  if (holds) return;
  std::fprintf(stderr, "FOUND: %s\n", otherwise.c_str());
  std::abort();
}

}  // namespace rwlease::fuzz
