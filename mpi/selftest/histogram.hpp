// Durations, counted in buckets: the same memory for ten as for ten thousand million of them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace rwlease::selftest {

class Team;

// Eight buckets to each doubling, so a value read back is at most an eighth too great. From a microsecond to over an
// hour; what is beyond counts in the outermost buckets.
class Histogram {
 public:
  using Duration = std::chrono::nanoseconds;

  void add(Duration duration) noexcept;
  void add(const Histogram& other) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  Duration least() const noexcept { return count_ == 0 ? Duration(0) : Duration(least_); }
  Duration greatest() const noexcept { return Duration(greatest_); }
  double mean_seconds() const noexcept;

  // The upper end of the bucket in which the value lies below which this share (0 to 1) of all are, or the greatest
  // value where that is less.
  Duration quantile(double share) const noexcept;

  struct Bucket {
    Duration upper;
    std::uint64_t count;
  };

  // Those that are not empty, in order.
  std::vector<Bucket> buckets() const;

  // Collective: all ranks' values together, on every rank.
  Histogram merged(const Team& team) const;

 private:
  static constexpr std::size_t per_doubling = 8;
  static constexpr std::size_t doublings = 32;

  static std::size_t index_of(Duration duration) noexcept;
  static Duration upper_of(std::size_t index) noexcept;

  std::array<std::uint64_t, per_doubling * doublings> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_us_ = 0;
  std::int64_t least_ = INT64_MAX;
  std::int64_t greatest_ = 0;
};

}  // namespace rwlease::selftest
