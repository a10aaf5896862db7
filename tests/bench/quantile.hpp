#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rwlease::bench {

// Of at least one sample, which are left in another order; `part` of them are below it.
inline double quantile(std::vector<double>& samples, double part) {
  const auto nth = samples.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), nth, samples.end());
  return *nth;
}

}  // namespace rwlease::bench
