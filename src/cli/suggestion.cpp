#include "suggestion.hpp"

#include <algorithm>
#include <cstddef>

namespace rwlease::cli {
namespace {

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

// So many single mistakes lie between the two.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

// A beginning of a candidate is near to it however much is missing.
std::size_t strangeness(std::string_view word, std::string_view candidate) {
  const bool begins = word.size() >= 2 && candidate.substr(0, word.size()) == word;
  return begins ? 1 : distance(word, candidate);
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string_view meant = without_dashes(word);
  std::size_t least = 1 + meant.size() / 3;  // more mistakes than that make it another word
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t strange = strangeness(meant, without_dashes(candidate));
    if (strange > least || (strange == least && !best.empty())) continue;
    least = strange;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

}  // namespace rwlease::cli
