// Finding out which ranks have not come, when the others have waited for them too long.
#pragma once

#include "communicator.hpp"

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace rwlease::mpi::detail {

// What a rank waits for.
struct Waiting {
  const char* operation;  // for the error, as is the path
  const std::string& path;
  std::chrono::nanoseconds waited;  // until now
  std::chrono::nanoseconds limit;   // `forever` where it is the root's work that is waited for
};

// Rank 0, or rank 1 where rank 0 itself does not come, asks all ranks whether they are here. Those that wait answer; a
// moment later the asker tells everybody who did not. All throw PeerTimeout then, also those that come late. It takes
// messages only when somebody has waited too long.
class RollCall {
 public:
  explicit RollCall(Communicator& communicator) : communicator_(communicator) {}
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  // Between the tests of every wait; does not block. Throws PeerTimeout, and MpiError.
  void look(const Waiting& waiting);

  // The ranks have given each other up: the communicator, and all made from it, is of no use any more.
  bool given_up() const noexcept { return given_up_; }

 private:
  using Clock = std::chrono::steady_clock;

  void answer();
  void ask_when_due(const Waiting& waiting);
  void ask();
  void collect();
  void tell_who_is_missing();
  void set_verdict(const std::string& text) noexcept;
  void tell(int first, int end);  // the verdict to these ranks
  void give_up_when_due(const Waiting& waiting);
  [[noreturn]] void give_up(const Waiting& waiting, const std::string& cause);

  Communicator& communicator_;
  bool asked_ = false;   // by another rank
  bool asking_ = false;  // this one asks
  bool told_ = false;    // who is missing
  bool given_up_ = false;
  Clock::time_point since_;    // asked or asking
  std::vector<bool> present_;  // while asking
  std::array<char, 256> verdict_{};
};

}  // namespace rwlease::mpi::detail
