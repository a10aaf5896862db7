#include <rwlease/error.hpp>
#include <rwlease/options.hpp>

#include "protocol/names.hpp"

#include <algorithm>
#include <string_view>

namespace rwlease {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds shortest_interval{10};
constexpr Milliseconds shortest_poll{1};
constexpr std::size_t longest_text = 128;

// Short of its caller's clear sentence there is nothing to say about where: options have no path.
void require(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidOptions("checking lock options", "", otherwise);
}

std::string text(Milliseconds duration) {
  const long long count = duration.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

bool printable(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

void check_lease(const Options& o) {
  require(o.interval >= shortest_interval, "the interval (" + text(o.interval) + ") must be at least 10 ms");
  require(o.interval <= protocol::longest_lease, "the interval (" + text(o.interval) + ") must be shorter than a day");
  const Milliseconds lease = o.effective_lease();
  require(lease >= 2 * o.interval, "the lease (" + text(lease) + ") must be at least two intervals (" +
                                       text(o.interval) + " each), or one late heartbeat would lose it");
  require(lease <= protocol::longest_lease, "the lease (" + text(lease) + ") must be at most a day");
  const Milliseconds margin = o.effective_margin();
  require(margin.count() > 0, "the margin must be more than zero, because clocks run at different rates");
  require(margin < lease - o.interval, "the margin (" + text(margin) +
                                           ") must be less than the lease without an interval (" +
                                           text(lease - o.interval) + "), or no heartbeat could be in time");
}

void check_polls(const Options& o) {
  require(o.poll_min >= shortest_poll, "poll_min (" + text(o.poll_min) + ") must be at least 1 ms");
  require(o.poll_max >= o.poll_min,
          "poll_max (" + text(o.poll_max) + ") must not be less than poll_min (" + text(o.poll_min) + ")");
  require(o.poll_max <= o.interval, "poll_max (" + text(o.poll_max) + ") must be at most the interval (" +
                                        text(o.interval) + "), because a waiting writer shows life between polls");
  require(o.poll_max <= o.effective_lease() / 5,
          "poll_max (" + text(o.poll_max) + ") must be at most a fifth of the lease (" + text(o.effective_lease()) +
              "), or a dead holder could not be told from a slow one");
  require(o.effective_stand_back().count() >= 0, "stand_back must not be negative");
}

}  // namespace

void Options::validate() const {
  check_lease(*this);
  check_polls(*this);
  require(!group || sharing == Sharing::group, "a group is named but sharing is not group");
  require(label.size() <= longest_text && printable(label), "the label must be at most 128 bytes of printable ASCII");
  require(job.size() <= longest_text && printable(job), "the job must be at most 128 bytes of printable ASCII");
  require(ranks >= 1, "ranks must be at least 1");
  require(process_group >= 0, "process_group must not be negative");
  require(process_group == 0 || sole, "process_group means something only when sole is set");
}

}  // namespace rwlease
