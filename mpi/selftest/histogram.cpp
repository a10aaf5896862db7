#include "histogram.hpp"

#include "team.hpp"

#include <algorithm>
#include <cmath>

namespace rwlease::selftest {
namespace {

constexpr double least_ns = 1000;

}  // namespace

std::size_t Histogram::index_of(Duration duration) noexcept {
  const double ratio = static_cast<double>(duration.count()) / least_ns;
  if (ratio <= 1) return 0;
  const auto index = static_cast<std::size_t>(std::ceil(std::log2(ratio) * per_doubling));
  return std::min(index, per_doubling * doublings - 1);
}

Histogram::Duration Histogram::upper_of(std::size_t index) noexcept {
  const double doubled = static_cast<double>(index) / per_doubling;
  return Duration(std::llround(least_ns * std::exp2(doubled)));
}

void Histogram::add(Duration duration) noexcept {
  const std::int64_t ns = std::max<std::int64_t>(duration.count(), 0);
  ++counts_[index_of(Duration(ns))];
  ++count_;
  sum_us_ += static_cast<std::uint64_t>(ns + 500) / 1000U;
  least_ = std::min(least_, ns);
  greatest_ = std::max(greatest_, ns);
}

void Histogram::add(const Histogram& other) noexcept {
  for (std::size_t index = 0; index < counts_.size(); ++index) counts_[index] += other.counts_[index];
  count_ += other.count_;
  sum_us_ += other.sum_us_;
  least_ = std::min(least_, other.least_);
  greatest_ = std::max(greatest_, other.greatest_);
}

double Histogram::mean_seconds() const noexcept {
  return count_ == 0 ? 0 : static_cast<double>(sum_us_) / static_cast<double>(count_) / 1e6;
}

Histogram::Duration Histogram::quantile(double share) const noexcept {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    seen += counts_[index];
    if (seen > 0 && seen >= wanted) return std::min(upper_of(index), greatest());
  }
  return greatest();
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> filled;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    if (counts_[index] != 0) filled.push_back({upper_of(index), counts_[index]});
  }
  return filled;
}

Histogram Histogram::merged(const Team& team) const {
  std::vector<std::uint64_t> words(counts_.begin(), counts_.end());
  words.insert(words.end(), {count_, sum_us_});
  words = team.sum(words);
  Histogram all;
  std::copy_n(words.begin(), all.counts_.size(), all.counts_.begin());
  all.count_ = words[all.counts_.size()];
  all.sum_us_ = words[all.counts_.size() + 1];
  all.least_ = static_cast<std::int64_t>(team.least({static_cast<std::uint64_t>(least_)})[0]);
  all.greatest_ = static_cast<std::int64_t>(team.greatest({static_cast<std::uint64_t>(greatest_)})[0]);
  return all;
}

}  // namespace rwlease::selftest
