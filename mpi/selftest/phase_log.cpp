#include "phase_log.hpp"

#include <algorithm>

namespace rwlease::selftest {
namespace {

constexpr std::size_t longest_text = 400;

std::string bounded(const std::string& text) {
  return text.size() <= longest_text ? text : text.substr(0, longest_text) + "...";
}

// The text of the lowest rank that has one.
std::string first_text(const Team& team, const std::string& own) {
  const auto nobody = static_cast<std::uint64_t>(team.size());
  const std::uint64_t first = team.least({own.empty() ? nobody : static_cast<std::uint64_t>(team.rank())})[0];
  return first == nobody ? std::string() : team.from(static_cast<int>(first), own);
}

}  // namespace

PhaseLog::PhaseLog(std::string name, const std::vector<std::string>& counts)
    : name_(std::move(name)), names_(counts), numbers_(counts.size(), 0) {}

void PhaseLog::count(const std::string& what, std::uint64_t number) {
  const auto found = std::find(names_.begin(), names_.end(), what);
  numbers_.at(static_cast<std::size_t>(found - names_.begin())) += number;
}

void PhaseLog::fail(const std::string& what, std::uint64_t number) {
  if (failures_ == 0) first_failure_ = bounded(what);
  failures_ += number;
}

void PhaseLog::note(const std::string& what) {
  if (note_.empty()) note_ = bounded(what);
}

void PhaseLog::skip(const std::string& why) {
  skipped_ = true;
  note(why);
}

PhaseResult PhaseLog::summary(const Team& team, double seconds) const {
  PhaseResult result;
  result.name = name_;
  result.skipped = skipped_;
  result.seconds = seconds;
  std::vector<std::uint64_t> numbers = numbers_;
  numbers.push_back(failures_);
  numbers = team.sum(numbers);
  for (std::size_t i = 0; i < names_.size(); ++i) result.counts.emplace_back(names_[i], numbers[i]);
  result.failures = numbers.back();
  result.first_failure = first_text(team, first_failure_);
  result.note = first_text(team, note_);
  return result;
}

}  // namespace rwlease::selftest
