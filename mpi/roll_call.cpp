#include "roll_call.hpp"

#include <rwlease/mpi.hpp>

#include <algorithm>
#include <cstdio>

namespace rwlease::mpi::detail {
namespace {

constexpr int question = 1;
constexpr int presence = 2;
constexpr int verdict = 3;

// How long answers are waited for. Ranks that wait look for the question every few milliseconds.
constexpr std::chrono::seconds grace{1};

constexpr int askers = 2;
constexpr std::size_t most_named = 16;

// "ranks 3, 5, 7 and 2 more"; texts of any length fit into a message.
std::string name_missing(const std::vector<bool>& present) {
  std::string text;
  std::size_t missing = 0;
  for (std::size_t rank = 0; rank < present.size(); ++rank) {
    if (present[rank] || missing++ >= most_named) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (missing == 0) return "every rank has answered, but they are not all in the same call";
  if (missing > most_named) text += " and " + std::to_string(missing - most_named) + " more";
  return (missing == 1 ? "rank " : "ranks ") + text + (missing == 1 ? " has" : " have") + " not come";
}

std::string in_seconds(std::chrono::nanoseconds duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", std::chrono::duration<double>(duration).count());
  return text.data();
}

}  // namespace

void RollCall::look(const Waiting& waiting) {
  if (communicator_.size() == 1) return;
  answer();
  if (asking_) {
    collect();
  } else if (!asked_ && !told_) {
    ask_when_due(waiting);
  }
  give_up_when_due(waiting);
}

void RollCall::answer() {
  int from = 0;
  char nothing = 0;
  while (communicator_.receive(&nothing, 0, question, from)) {
    if (!asked_ && !asking_) since_ = Clock::now();
    asked_ = true;
    communicator_.send(verdict_.data(), 0, from, presence);
  }
  if (told_ || !communicator_.receive(verdict_.data(), static_cast<int>(verdict_.size()), verdict, from)) return;
  told_ = true;
  if (communicator_.rank() == 0 && from >= askers) tell(0, communicator_.size());
}

void RollCall::ask_when_due(const Waiting& waiting) {
  if (waiting.limit == forever || communicator_.rank() >= askers) return;
  if (waiting.waited > waiting.limit + communicator_.rank() * grace) ask();
}

void RollCall::ask() {
  present_.assign(static_cast<std::size_t>(communicator_.size()), false);
  present_[static_cast<std::size_t>(communicator_.rank())] = true;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    if (rank != communicator_.rank()) communicator_.send(verdict_.data(), 0, rank, question);
  }
  asking_ = true;
  since_ = Clock::now();
}

void RollCall::collect() {
  int from = 0;
  char nothing = 0;
  while (communicator_.receive(&nothing, 0, presence, from)) present_[static_cast<std::size_t>(from)] = true;
  const bool all = std::find(present_.begin(), present_.end(), false) == present_.end();
  if (!told_ && (all || Clock::now() - since_ > grace)) tell_who_is_missing();
}

void RollCall::tell_who_is_missing() {
  set_verdict(name_missing(present_));
  told_ = true;
  tell(0, communicator_.size());
}

void RollCall::tell(int first, int end) {
  for (int rank = first; rank < end; ++rank) {
    if (rank == communicator_.rank()) continue;
    communicator_.send(verdict_.data(), static_cast<int>(verdict_.size()), rank, verdict);
  }
}

void RollCall::set_verdict(const std::string& text) noexcept {
  std::copy_n(text.begin(), std::min(text.size(), verdict_.size() - 1), verdict_.begin());
}

// Where nobody has asked, those who should have are told when they come, and tell the others.
void RollCall::give_up_when_due(const Waiting& waiting) {
  if (told_) give_up(waiting, verdict_.data());
  const bool unanswered = asked_ && Clock::now() - since_ > 2 * grace;
  const bool unasked = waiting.limit != forever && waiting.waited > waiting.limit + (askers + 1) * grace;
  if (!unanswered && !unasked) return;
  set_verdict("not all ranks have come, and nobody knows which");
  told_ = true;
  tell(0, std::min(askers, communicator_.size()));
  give_up(waiting, verdict_.data());
}

void RollCall::give_up(const Waiting& waiting, const std::string& cause) {
  given_up_ = true;
  throw PeerTimeout(waiting.operation, waiting.path,
                    cause + "; this rank has waited " + in_seconds(waiting.waited) + " for them");
}

}  // namespace rwlease::mpi::detail
