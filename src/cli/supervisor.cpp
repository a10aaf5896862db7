#include "supervisor.hpp"

#include "duration.hpp"
#include "exit_codes.hpp"
#include "output.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace rwlease::cli {
namespace {

using std::chrono::milliseconds;

// How often to look whether all have gone when there is no guard that reports it.
constexpr milliseconds unguarded_poll{50};

// The news that nothing is left comes a moment after that of the command's end.
constexpr milliseconds least_clearing{1'000};

// Without a reason: the clock said so before the library did.
std::string loss_text(const std::string& what, std::optional<LossReason> reason) {
  if (reason == LossReason::evicted) {
    return what + " was lost: its marker was removed, by others or with the lock directory";
  }
  return what + " was lost: no heartbeat reached the file system in time (a longer --lease survives longer outages)";
}

std::string exec_failure_text(int error) {
  std::string cause = std::strerror(error);
  if (error == ENOENT) return cause + " (it is not in PATH, or the interpreter that it names is missing)";
  if (error == EACCES) return cause + " (it, or a directory on the way to it, may not be executed; see chmod)";
  return cause;
}

}  // namespace

Supervisor::Supervisor(const RunRequest& request, SignalInbox& inbox, Child& child, Keeper& keeper)
    : request_(request), inbox_(inbox), child_(child), keeper_(keeper) {}

int Supervisor::run() {
  while (phase_ != Phase::done) {
    wait_for_event();
    // Signals first: one that came before the lease was granted must still prevent the start.
    serve_signals();
    serve_child();
    serve_keeper();
    serve_clock();
  }
  terminal_.take_back();
  return code_.value_or(exit_failure);
}

void Supervisor::wait_for_event() {
  std::array<pollfd, 3> sources{
      {{inbox_.descriptor(), POLLIN, 0}, {keeper_.descriptor(), POLLIN, 0}, {child_.descriptor(), POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), poll_timeout()) < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "waiting for signals");
  }
}

int Supervisor::poll_timeout() const {
  std::optional<milliseconds> least;
  const auto consider = [&least](milliseconds delay) { least = least ? std::min(*least, delay) : delay; };
  for (const auto& when : {clear_at_, kill_at_, abandon_at_}) {
    if (when) consider(std::chrono::ceil<milliseconds>(*when - Clock::now()));
  }
  if (child_.is_unguarded() && !child_.all_gone()) consider(unguarded_poll);
  if (!least) return -1;
  return static_cast<int>(std::clamp<milliseconds::rep>(least->count(), 0, 60'000));
}

// ---- signals

void Supervisor::serve_signals() {
  while (const std::optional<int> signal = inbox_.next()) on_signal(*signal);
}

void Supervisor::on_signal(int signal) {
  if (signal == SIGCHLD) return;  // serve_child() looks anyway
  const bool command_runs = phase_ == Phase::running || phase_ == Phase::clearing || phase_ == Phase::ending;
  if (!command_runs) {
    if (ends_process(signal)) cancel(signal);
    if (signal == SIGTSTP) stop_as_by_terminal(false);
  } else if (signal == SIGCONT) {
    resume();
  } else {
    stop_passed_on_ = stop_passed_on_ || signal == SIGTSTP;
    child_.signal(signal);
  }
}

// Ends the wait for the lease. While the lease is given back there is no wait to end, but whoever sends signals is in a
// hurry, so in either case the file system gets no more than the grace period.
void Supervisor::cancel(int signal) {
  abandon_by(Clock::now() + request_.grace);
  if (phase_ != Phase::waiting || code_) return;
  code_ = exit_signal_base + signal;
  say("waiting for the lease on " + request_.names() + " was ended by " + signal_name(signal));
  keeper_.cancel();
}

// ---- the command

void Supervisor::serve_child() {
  while (const std::optional<int> status = child_.next_change()) {
    if (WIFSTOPPED(*status)) on_stop(WSTOPSIG(*status));
    if (child_.has_ended()) on_end(*status);
  }
  const bool clearing = phase_ == Phase::clearing || phase_ == Phase::ending;
  if (clearing && child_.all_gone()) give_back();
}

void Supervisor::on_stop(int signal) {
  const bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
  if (wants_terminal && terminal_.in_foreground()) {
    terminal_.lend(child_.group());
    child_.signal(SIGCONT);
  } else if (phase_ == Phase::running && (wants_terminal || stop_passed_on_ || terminal_.is_lent())) {
    stop_with_child();
  }
  // Else somebody stopped the command alone: the lease is kept for it.
}

// The user stopped the job, so all of it stops, this process too. Heartbeats stop with it: after more than a lease
// others may take over, and then the command is not continued but ended.
void Supervisor::stop_with_child() {
  const bool all_were_told = std::exchange(stop_passed_on_, false);
  borrower_stopped_ = terminal_.is_lent();
  terminal_.take_back();
  if (!stop_as_by_terminal(!all_were_told)) resume();
}

void Supervisor::resume() {
  look_for_loss();
  if (std::exchange(borrower_stopped_, false)) terminal_.lend(child_.group());
  child_.signal(SIGCONT);
}

void Supervisor::on_end(int status) {
  if (phase_ == Phase::waiting && !code_) {
    code_ = exit_code_of(status);
    say("the command was ended before it had begun, so the wait for " + request_.names() + " ends too");
    abandon_by(Clock::now() + request_.grace);
    keeper_.cancel();
  }
  if (!started_) return;
  if (const int error = child_.exec_error()) {
    code_ = error == ENOENT ? exit_not_found : exit_not_executable;
    say("running " + request_.command.front() + ": " + exec_failure_text(error));
  } else {
    code_ = exit_code_of(status);
  }
  terminal_.take_back();  // Ctrl-C is for us now, and through us for what is left
  if (child_.is_unguarded())
    say("the guard process of " + request_.command.front() + " was killed, and so is all below it");
  look_for_loss();
  if (phase_ == Phase::running) clear();
}

// What the command has left running works under the lease too. Most of it ends by itself: a tee that has the last
// lines to write.
void Supervisor::clear() {
  phase_ = Phase::clearing;
  clear_at_ = Clock::now() + std::max(request_.grace, least_clearing);
}

// ---- the lease

void Supervisor::serve_keeper() {
  keeper_.drain();
  look_for_loss();
  if (phase_ == Phase::waiting) stop_waiting_after_loss();
  const Keeper::Outcome outcome = keeper_.outcome();
  if (phase_ == Phase::waiting && outcome != Keeper::Outcome::pending) on_decision(outcome);
  if (phase_ != Phase::giving_back) return;
  if (const auto result = keeper_.given_back()) on_given_back(*result);
}

void Supervisor::on_decision(Keeper::Outcome outcome) {
  if (outcome == Keeper::Outcome::granted) return code_ ? give_back() : start_command();
  if (outcome != Keeper::Outcome::cancelled) say(keeper_.failure());
  const bool timed_out = outcome == Keeper::Outcome::timed_out;
  finish(code_.value_or(timed_out ? request_.timeout_exit_code : exit_failure));
}

void Supervisor::start_command() {
  if (!keeper_.is_valid()) {
    say(loss_text(keeper_.lost_part(), keeper_.loss()) + "; " + request_.command.front() + " was not started");
    lost_ = true;
    return give_back();
  }
  if (terminal_.is_interactive()) terminal_.lend(child_.group());
  child_.start(keeper_.fences());
  started_ = true;
  phase_ = Phase::running;
}

// One of several, while the others are waited for.
void Supervisor::stop_waiting_after_loss() {
  const std::optional<LossReason> reason = keeper_.loss();
  if (!reason || code_ || keeper_.outcome() != Keeper::Outcome::pending) return;
  say(loss_text("a lease on " + request_.names(), reason) + ", while the rest was waited for");
  lost_ = true;
  code_ = exit_lost;
  abandon_by(Clock::now() + request_.grace);
  keeper_.cancel();
}

void Supervisor::look_for_loss() {
  if (lost_ || (phase_ != Phase::running && phase_ != Phase::clearing)) return;
  const std::optional<LossReason> reason = keeper_.loss();
  if (reason || !keeper_.is_valid()) on_loss(reason);
}

void Supervisor::on_loss(std::optional<LossReason> reason) {
  lost_ = true;
  const std::string& command = request_.command.front();
  const std::string text = loss_text(keeper_.lost_part(), reason);
  if (request_.on_loss == OnLoss::warn) return say(text + (child_.has_ended() ? "" : "; " + command + " goes on"));
  if (child_.has_ended()) {
    say(text);
  } else if (request_.on_loss == OnLoss::kill) {
    say(text + "; killing " + command);
  } else {
    say(text + "; ending " + command + ": TERM now, KILL after " + to_text(request_.grace));
  }
  end_command(request_.on_loss);
}

void Supervisor::end_command(OnLoss how) {
  phase_ = Phase::ending;
  clear_at_.reset();
  kill_at_ = Clock::now();
  if (how == OnLoss::kill) return;
  *kill_at_ += request_.grace;
  child_.signal(SIGTERM);
  child_.signal(SIGCONT);  // a stopped process could not react
}

void Supervisor::give_back() {
  phase_ = Phase::giving_back;
  clear_at_.reset();
  kill_at_.reset();
  // What cannot be given back runs out by itself; there is no point in waiting longer than that.
  abandon_by(Clock::now() + std::max<std::chrono::nanoseconds>(keeper_.remaining(), request_.grace));
  keeper_.give_back();
}

void Supervisor::on_given_back(ReleaseResult result) {
  if (started_ && !lost_ && result == ReleaseResult::already_lost) {
    lost_ = true;
    // It looked valid when the command ended, so what the release missed is the marker.
    say(loss_text(keeper_.lost_part(), keeper_.loss().value_or(LossReason::evicted)) + "; " + request_.command.front() +
        " had ended by then");
  }
  finish(code_.value_or(exit_failure));
}

// ---- the clock

void Supervisor::serve_clock() {
  const Clock::time_point now = Clock::now();
  if (clear_at_ && now >= *clear_at_) end_leftovers();
  if (kill_at_ && now >= *kill_at_) {
    kill_at_.reset();
    child_.end_all();
  }
  if (phase_ != Phase::done && abandon_at_ && now >= *abandon_at_) abandon();
}

void Supervisor::end_leftovers() {
  say("what " + request_.command.front() + " left running keeps the lease on " + request_.names() +
      "; ending it: TERM now, KILL after " + to_text(request_.grace));
  end_command(OnLoss::term);
}

void Supervisor::abandon() {
  const std::string what = started_ ? "giving back the lease on " : "withdrawing from ";
  say(what + request_.names() + ": the file system does not answer; leaving it, others wait until the lease of " +
      to_text(request_.options.effective_lease()) + " has passed");
  abandoned_ = true;
  finish(code_.value_or(exit_failure));
}

void Supervisor::abandon_by(Clock::time_point when) { abandon_at_ = abandon_at_ ? std::min(*abandon_at_, when) : when; }

void Supervisor::finish(int code) {
  phase_ = Phase::done;
  code_ = lost_ ? exit_lost : code;
}

}  // namespace rwlease::cli
