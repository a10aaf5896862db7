// The course of one `rwlease run`: from waiting to the exit code.
#pragma once

#include "child.hpp"
#include "keeper.hpp"
#include "run_options.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <chrono>
#include <optional>

namespace rwlease::cli {

// One loop on the main thread that serves what comes: signals, changes of the command, news of the lease, the clock. It
// touches no file, so it reacts on time even when the file system hangs.
//
//   waiting -> running -> clearing -> giving_back -> done
//      |          |         \-> ending (something left running does not end by itself)
//      |          \-> ending (lease lost: TERM, grace, KILL) -> giving_back
//      \-> done (timeout, cancelled, failed)
//
// The lease is given back when the command and all that it started have ended.
class Supervisor {
 public:
  // All must live longer than this object.
  Supervisor(const RunRequest& request, SignalInbox& inbox, Child& child, Keeper& keeper);

  // Until the command and the lease are gone, or the file system answers too late (then is_abandoned()). Gives the exit
  // code. Throws std::system_error.
  int run();

  // True after run(): the keeper hangs in the file system. The caller must leave by _exit(), which nothing can hold up.
  bool is_abandoned() const noexcept { return abandoned_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { waiting, running, clearing, ending, giving_back, done };

  void wait_for_event();
  int poll_timeout() const;

  void serve_signals();
  void on_signal(int signal);
  void cancel(int signal);

  void serve_child();
  void on_stop(int signal);
  void stop_with_child();
  void resume();
  void on_end(int status);

  void clear();

  void serve_keeper();
  void on_decision(Keeper::Outcome outcome);
  void start_command();
  void look_for_loss();
  void stop_waiting_after_loss();
  void on_loss(std::optional<LossReason> reason);
  void give_back();
  void on_given_back(ReleaseResult result);

  void end_command(OnLoss how);

  void serve_clock();
  void end_leftovers();
  void abandon();
  void abandon_by(Clock::time_point when);
  void finish(int code);

  const RunRequest& request_;
  SignalInbox& inbox_;
  Child& child_;
  Keeper& keeper_;
  Terminal terminal_;

  Phase phase_ = Phase::waiting;
  std::optional<int> code_;  // as far as it is decided
  bool started_ = false;     // the command was let go
  bool lost_ = false;
  bool abandoned_ = false;
  bool stop_passed_on_ = false;                // a stop signal went to the command; when it stops, so do we
  bool borrower_stopped_ = false;              // the command had the terminal when it stopped
  std::optional<Clock::time_point> clear_at_;  // what is left running is told to end
  std::optional<Clock::time_point> kill_at_;
  std::optional<Clock::time_point> abandon_at_;
};

}  // namespace rwlease::cli
