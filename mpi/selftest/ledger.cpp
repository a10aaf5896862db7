#include "ledger.hpp"

#include <algorithm>

namespace rwlease::selftest {
namespace {

constexpr std::size_t most_stays = 1500;

bool exclude_each_other(Mode one, Mode other) { return one == Mode::write || other == Mode::write; }

}  // namespace

Ledger::Ledger(int ranks) : seats_(static_cast<std::size_t>(ranks)) {}

void Ledger::asks(int rank, Time now) { seat(rank).asked = now; }

void Ledger::enters(int rank, int party, Mode mode, std::uint64_t fence, Time now) {
  Seat& entering = seat(rank);
  entering.in = true;
  entering.party = party;
  entering.mode = mode;
  entering.entered = now;
  ++(mode == Mode::write ? writes_ : reads_);
  suspect_overlaps(rank);
  note_fence(entering, fence);
  note_hand_off(entering, now);
  note_readers();
}

void Ledger::suspect_overlaps(int rank) {
  const Seat& entering = seat(rank);
  for (std::size_t other = 0; other < seats_.size(); ++other) {
    const Seat& present = seats_[other];
    if (!present.in || present.party == entering.party) continue;
    if (exclude_each_other(present.mode, entering.mode)) open_.push_back({static_cast<int>(other), rank});
  }
}

// The ranks of a party show the same number.
void Ledger::note_fence(Seat& seat, std::uint64_t fence) {
  const auto shares = [&seat](const Seat& other) { return other.in && &other != &seat && other.party == seat.party; };
  const bool again = fence == greatest_fence_ && std::any_of(seats_.begin(), seats_.end(), shares);
  seat.fence_back = fence != 0 && fence <= greatest_fence_ && !again;
  greatest_fence_ = std::max(greatest_fence_, fence);
}

// A reader waits for writers, a writer for everybody. Who asked only after they had left did not wait for them.
void Ledger::note_hand_off(const Seat& seat, Time now) {
  const Time left = seat.mode == Mode::write ? last_left_ : last_writer_left_;
  if (left > seat.asked && seat.asked != Time{}) hand_offs_.add(now - left);
}

void Ledger::note_readers() {
  const auto readers =
      std::count_if(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.in && seat.mode == Mode::read; });
  most_readers_ = std::max(most_readers_, static_cast<int>(readers));
}

void Ledger::leaves(int rank, Time now) {
  Seat& leaving = seat(rank);
  leaving.in = false;
  last_left_ = now;
  if (leaving.mode == Mode::write) last_writer_left_ = now;
  if (stays_.size() < most_stays) stays_.push_back({rank, leaving.party, leaving.mode, leaving.entered, now});
}

void Ledger::has_left(int rank, bool in_force) {
  if (!in_force) ++lapsed_;
  if (in_force && seat(rank).fence_back) ++fences_back_;
  const Word word = in_force ? Word::in_force : Word::lapsed;
  for (auto open = open_.begin(); open != open_.end();) {
    if (open->first == rank) open->first_word = word;
    if (open->second == rank) open->second_word = word;
    const bool complete = open->first_word != Word::none && open->second_word != Word::none;
    if (complete) settle(*open);
    open = complete ? open_.erase(open) : std::next(open);
  }
}

void Ledger::settle(const Suspicion& suspicion) {
  if (suspicion.first_word == Word::lapsed || suspicion.second_word == Word::lapsed) {
    ++unclear_;
    return;
  }
  if (violations_++ == 0) first_violation_ = {suspicion.first, suspicion.second};
}

}  // namespace rwlease::selftest
