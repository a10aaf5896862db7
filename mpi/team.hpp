// What all locks made on one communicator share on one rank.
#pragma once

#include "agree.hpp"
#include "communicator.hpp"
#include "finalize_hook.hpp"
#include "patient.hpp"
#include "roll_call.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::mpi::detail {

class Session;

// One duplicate of the application's communicator, on which the ranks agree on every call of every lock. It belongs to
// the application's communicator (as an attribute) and to the locks; freed, by a collective call on all ranks, when
// both are gone.
//
// One thread at a time.
class Team final : public AtFinalize, public std::enable_shared_from_this<Team> {
 public:
  // The communicator's team; made when there is none yet, which is collective then. See Communicator for `limit`.
  static std::shared_ptr<Team> of(MPI_Comm communicator, const std::string& path, std::chrono::nanoseconds limit);

  Team(MPI_Comm communicator, std::chrono::nanoseconds limit);

  Communicator& communicator() noexcept { return communicator_; }
  RollCall& roll_call() noexcept { return roll_call_; }

  // Waits until `complete` says true, sleeping between the questions. Throws PeerTimeout after `limit`.
  template <class Complete>
  void wait(Complete&& complete, const char* operation, const std::string& path, std::chrono::nanoseconds limit);

  // The same number for the same lock on all ranks. It is taken by join().
  std::uint32_t next_number() const noexcept { return next_number_; }
  void join(const std::shared_ptr<Session>& session);
  std::string name_of(std::uint32_t number) const;

  // A lock that is closed everywhere.
  void leave(const Session& session) noexcept;

  // Keeps a session in whose memory MPI may still write.
  void keep(const std::shared_ptr<Session>& session) noexcept;

  Progress finalize() noexcept override;

  // The application has freed its communicator.
  void orphan() noexcept;

 private:
  bool all_finalize();
  void free_when_unneeded() noexcept;

  const pid_t process_;
  Communicator communicator_;
  RollCall roll_call_;
  std::uint32_t next_number_ = 1;
  std::vector<std::shared_ptr<Session>> sessions_;  // open ones
  std::vector<std::shared_ptr<Session>> kept_;
  std::optional<Agreement> finalizing_;
  bool orphaned_ = false;
  bool over_ = false;  // freed, or MPI is finalised
};

template <class Complete>
void Team::wait(Complete&& complete, const char* operation, const std::string& path, std::chrono::nanoseconds limit) {
  Patience patience;
  while (!complete()) {
    roll_call_.look({operation, path, patience.waited(), limit});
    patience.pause();
  }
}

}  // namespace rwlease::mpi::detail
