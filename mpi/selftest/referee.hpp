// How ranks tell the referee, and how it answers. The referee is rank 0, beside its other work.
#pragma once

#include "ledger.hpp"
#include "team.hpp"

#include <vector>

namespace rwlease::selftest {

struct Message {
  enum Kind : int { asks, enters, leaves, has_left };
  int kind;
  int party;
  int mode;
  int in_force;
  std::uint64_t fence;
};

// Rank 0's side. serve() answers what has come, without waiting; it is rank 0's duty whenever that waits.
class Referee {
 public:
  explicit Referee(const Team& team);
  ~Referee();
  Referee(const Referee&) = delete;
  Referee& operator=(const Referee&) = delete;

  void serve();

  // The book so far; a new one is begun. No rank may be in.
  Ledger close_book();

 private:
  void listen();
  void enter(int rank, const Message& message);

  const Team& team_;
  Ledger ledger_;
  Message incoming_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
  int answer_ = 0;
  std::vector<MPI_Request> answers_;  // by rank; each rank waits for one before it speaks again
};

// Every rank's side. Each call returns when the referee has noted it.
class Door {
 public:
  explicit Door(const Team& team) : team_(team) {}

  void asks() const { say({Message::asks, 0, 0, 0, 0}); }
  void enters(int party, Mode mode, std::uint64_t fence) const {
    say({Message::enters, party, static_cast<int>(mode), 0, fence});
  }
  void leaves() const { say({Message::leaves, 0, 0, 0, 0}); }

  // `in_force`: so it was all the time, up to the answer to leaves().
  void has_left(bool in_force) const { say({Message::has_left, 0, 0, in_force ? 1 : 0, 0}); }

 private:
  void say(const Message& message) const;

  const Team& team_;
};

}  // namespace rwlease::selftest
