// What a lock and its leases share on one rank: the communicator, and on the root the core's lock.
#pragma once

#include "agree.hpp"
#include "communicator.hpp"
#include "finalize_hook.hpp"
#include "hold.hpp"
#include "result_record.hpp"

#include <rwlease/lock.hpp>
#include <rwlease/mpi.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::mpi::detail {

// Every collective call has the same shape, on every rank: agree; the root acts and keeps what came of it; the result
// is shared. What can fail on one rank alone is done before agreeing, or not at all.
//
// Lives until it is closed or MPI is finalised, even when lock and leases are gone. One thread at a time.
class Session final : public AtFinalize {
 public:
  // Collective. See Lock::Lock().
  static std::shared_ptr<Session> open(MPI_Comm communicator, const std::filesystem::path& name, const Options& options,
                                       int root);

  Session(MPI_Comm communicator, const std::filesystem::path& name, const Options& options, int root);

  // Collective, as in Lock and Lease. try_acquire() gives null when somebody is in the way.
  std::shared_ptr<Hold> acquire(Mode mode, std::chrono::nanoseconds timeout, const Cancel* cancel);
  std::shared_ptr<Hold> try_acquire(Mode mode);
  LeaseState check(Hold& hold);
  void publish(Hold& hold, const std::filesystem::path& finished, const std::filesystem::path& target);
  ReleaseResult release(Hold& hold);
  void close();
  Progress finalize() noexcept override;

  // Local: the application has destroyed its object of this lease.
  void abandon(Hold& hold) noexcept;

  int rank() const noexcept { return communicator_.rank(); }
  int size() const noexcept { return communicator_.size(); }
  int root() const noexcept { return root_; }
  const std::filesystem::path& name() const noexcept { return name_; }

 private:
  struct Attempt {
    Call call;
    Mode mode;
    std::chrono::nanoseconds timeout;
  };

  bool is_root() const noexcept { return rank() == root_; }
  void enter(const char* operation) const;
  void establish(const Options& options);
  void agree_on(Ballot ballot);
  void agree_to_stop(const std::vector<Hold*>& holds, const Ballot& ballot);
  bool all_finalize();
  template <class Step>
  Result act(const char* operation, Step&& step);
  template <class Take>
  std::shared_ptr<Hold> obtain(const Attempt& attempt, Take&& take);
  std::shared_ptr<Hold> prepare(Mode mode) noexcept;
  LeaseState extend(Hold& hold);
  std::vector<Hold*> all_holds() const;
  std::uint64_t oldest_lease() const noexcept;
  bool is_relied_on(const Hold& hold) const noexcept;
  void give_back_abandoned(std::uint64_t oldest_lease_anywhere) noexcept;
  void give_back_everything() noexcept;
  void drop(const Hold& hold) noexcept;

  std::filesystem::path name_;
  std::string path_;  // name_, for errors
  std::chrono::nanoseconds margin_;
  int root_;
  pid_t process_;
  Communicator communicator_;
  std::optional<rwlease::Lock> core_;  // on the root
  std::uint64_t next_serial_ = 0;
  std::vector<std::shared_ptr<Hold>> holds_;  // not yet released; on the root also the abandoned ones
  std::optional<Agreement> finalizing_;
  bool closed_ = false;
  bool broken_ = false;  // MPI failed while finalising
};

}  // namespace rwlease::mpi::detail
