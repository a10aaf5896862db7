// The referee's book: who is in, and who was in together with whom. Pure; no MPI in it.
#pragma once

#include "histogram.hpp"

#include <rwlease/lease.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <utility>
#include <vector>

namespace rwlease::selftest {

// One that held, for the picture.
struct Stay {
  int rank;
  int party;
  Mode mode;
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
};

// Each rank says that it asks, enters, leaves, has left, in this order. It says "enters" after it has acquired and
// waits for the answer; it says "leaves" before it releases and waits for the answer. So whoever is in here holds. Two
// that are in together and exclude each other are a violation, if both still were in force when their last
// answer had come: then both were in force at the moment when the later one entered. A lease that lapsed meanwhile (the
// process or the machine stood still) proves nothing.
//
// Ranks of one party never exclude each other.
class Ledger {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Ledger(int ranks);

  void asks(int rank, Time now);
  // `fence`: a write lease's number, 0 for none.
  void enters(int rank, int party, Mode mode, std::uint64_t fence, Time now);
  void leaves(int rank, Time now);
  void has_left(int rank, bool in_force);

  std::uint64_t reads() const noexcept { return reads_; }
  std::uint64_t writes() const noexcept { return writes_; }
  std::uint64_t lapsed() const noexcept { return lapsed_; }
  std::uint64_t violations() const noexcept { return violations_; }
  std::uint64_t unclear() const noexcept { return unclear_; }

  // Write leases whose number was not greater than that of one before.
  std::uint64_t fences_back() const noexcept { return fences_back_; }

  int most_readers() const noexcept { return most_readers_; }

  // The ranks of the first violation, the later one second.
  std::pair<int, int> first_violation() const noexcept { return first_violation_; }

  // How long after somebody left one was in that had waited for it.
  const Histogram& hand_offs() const noexcept { return hand_offs_; }

  // The first of them; the number is bounded.
  const std::vector<Stay>& stays() const noexcept { return stays_; }

 private:
  struct Seat {
    bool in = false;
    int party = 0;
    Mode mode = Mode::read;
    bool fence_back = false;
    Time asked{};
    Time entered{};
  };

  enum class Word { none, in_force, lapsed };

  struct Suspicion {
    int first;
    int second;
    Word first_word = Word::none;
    Word second_word = Word::none;
  };

  Seat& seat(int rank) { return seats_[static_cast<std::size_t>(rank)]; }
  void suspect_overlaps(int rank);
  void note_fence(Seat& seat, std::uint64_t fence);
  void note_hand_off(const Seat& seat, Time now);
  void note_readers();
  void settle(const Suspicion& suspicion);

  std::vector<Seat> seats_;
  std::list<Suspicion> open_;  // at most one for each pair of ranks that are in
  Time last_left_{};
  Time last_writer_left_{};
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t lapsed_ = 0;
  std::uint64_t violations_ = 0;
  std::uint64_t unclear_ = 0;
  std::uint64_t fences_back_ = 0;
  std::uint64_t greatest_fence_ = 0;
  int most_readers_ = 0;
  std::pair<int, int> first_violation_{-1, -1};
  Histogram hand_offs_;
  std::vector<Stay> stays_;
};

}  // namespace rwlease::selftest
