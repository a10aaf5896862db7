// What a lock and its leases share on one rank: the communicator, and on the root the core's lock.
#pragma once

#include "acquire.hpp"
#include "agree.hpp"
#include "communicator.hpp"
#include "extension.hpp"
#include "hold.hpp"
#include "result_record.hpp"
#include "team.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>
#include <rwlease/witness.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::mpi::detail {

// Every collective call has the same shape, on every rank: agree; the root acts and keeps what came of it; the result
// is told. What can fail on one rank alone is done before agreeing, or not at all.
//
// Lives until it is closed or MPI is finalised, even when lock and leases are gone. One thread at a time.
class Session final : public std::enable_shared_from_this<Session> {
 public:
  // Collective. See Lock::Lock().
  static std::shared_ptr<Session> open(MPI_Comm communicator, const std::filesystem::path& name, const Options& options,
                                       int root, const Policy& policy);

  Session(std::shared_ptr<Team> team, const std::filesystem::path& name, const Options& options, int root,
          const Policy& policy);

  // Collective, as in Lock and Lease. try_acquire() gives null when somebody is in the way.
  std::shared_ptr<Hold> acquire(Mode mode, std::chrono::nanoseconds timeout, const Cancel* cancel);
  std::shared_ptr<Hold> try_acquire(Mode mode);
  LeaseState check(Hold& hold);
  void publish(Hold& hold, const std::filesystem::path& finished, const std::filesystem::path& target);
  std::shared_ptr<Hold> downgrade(Hold& hold);
  ReleaseResult release(Hold& hold);
  void close();

  // Throws what forbids every call here and now. Local.
  void require_callable(const char* operation) const;

  // A request: the acquire with the ticket that begin_acquire() gave.
  std::uint64_t begin_acquire(Mode mode, std::chrono::nanoseconds timeout);
  bool test_acquire(std::uint64_t ticket);
  std::shared_ptr<Hold> finish_acquire(std::uint64_t ticket);
  void cancel_acquire(std::uint64_t ticket);
  void abandon_acquire(std::uint64_t ticket) noexcept;

  // Local. abandon(): the application has destroyed its object of this lease.
  bool verify(Hold& hold) noexcept;
  void abandon(Hold& hold) noexcept;

  // In MPI_Finalize, in this order: this rank works no more; all ranks have said so; or nobody knows about the others.
  void stop_working() noexcept;
  void end();
  void end_alone() noexcept;

  int rank() const noexcept { return communicator_.rank(); }
  int size() const noexcept { return communicator_.size(); }
  int root() const noexcept { return root_; }
  const std::filesystem::path& name() const noexcept { return name_; }
  const std::string& path() const noexcept { return path_; }
  std::uint32_t number() const noexcept { return number_; }

 private:
  friend class Acquire;

  bool is_root() const noexcept { return rank() == root_; }
  static const char* acquiring(Mode mode) noexcept;
  void enter(const char* operation) const;  // likewise, and where the ranks have given each other up
  void establish(const Options& options);
  void agree_to_construct(const Options& options);
  void open_core(const Options& options);
  void settle_abandoned(const char* operation);

  // Agreeing, in steps and as a whole.
  Ballot ballot(Call call, const std::array<std::uint64_t, 3>& arguments) const noexcept;
  void begin_to_agree(const Ballot& ballot);
  void conclude_agreement(const char* operation);
  void agree_on(const Ballot& ballot, const char* operation);
  void agree_to_stop(const std::vector<Hold*>& holds, const Ballot& ballot, const char* operation);

  // Telling the root's result, and handing out deadlines.
  void begin_to_tell() { telling_.emplace(communicator_, root_, result_); }
  template <class Step>
  const Result& act(const char* operation, Step&& step);
  void begin_to_extend(Hold& hold) { extension_.emplace(communicator_, root_, hold, margin_); }
  LeaseState extend(Hold& hold, const char* operation);

  template <class Complete>
  void wait(Complete&& complete, const char* operation, std::chrono::nanoseconds limit);
  void look_for_the_others(const char* operation, std::chrono::nanoseconds waited, std::chrono::nanoseconds limit);
  std::shared_ptr<Hold> finish();

  std::shared_ptr<Hold> prepare(Mode mode) noexcept;
  bool stands_for_root(const Hold& hold) noexcept;
  std::vector<Hold*> all_holds() const;
  std::uint64_t oldest_lease() const noexcept;
  bool is_relied_on(const Hold& hold) const noexcept;
  void give_back_abandoned(std::uint64_t oldest_lease_anywhere) noexcept;
  void give_back_everything() noexcept;
  void drop(const Hold& hold) noexcept;

  const std::filesystem::path name_;
  const std::string path_;  // name_, for errors
  const std::chrono::nanoseconds margin_;
  const int root_;
  const Policy policy_;
  const std::chrono::nanoseconds peer_limit_;
  const pid_t process_;
  const std::shared_ptr<Team> team_;
  std::uint32_t number_ = 0;  // in the team
  Communicator communicator_;
  std::optional<rwlease::Lock> core_;  // on the root
  std::string lock_directory_;         // as the root has it
  std::optional<Witness> witness_;     // elsewhere, once asked for
  std::uint64_t next_serial_ = 0;
  std::vector<std::shared_ptr<Hold>> holds_;  // not yet released; on the root also the abandoned ones
  bool closed_ = false;

  // The call under way. MPI writes to these, so they stay where they are.
  std::optional<Agreement> agreement_;
  Result result_;
  std::optional<Telling> telling_;
  std::optional<Extension> extension_;

  std::uint64_t last_ticket_ = 0;
  std::optional<Acquire> acquire_;  // last, because it refers to all of the above
};

}  // namespace rwlease::mpi::detail
