#include "arguments.hpp"
#include "break_options.hpp"
#include "command.hpp"
#include "duration.hpp"
#include "exit_codes.hpp"
#include "interruptible.hpp"
#include "output.hpp"
#include "probe/interrupt.hpp"
#include "signals.hpp"
#include "waiting_line.hpp"

#include <rwlease/admin.hpp>
#include <rwlease/lock.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>

namespace rwlease::cli {
namespace {

constexpr int exit_nothing_to_do = 1;
constexpr int exit_refused = 2;

using Participants = std::vector<Participant>;

bool holds_nothing(const Participant& participant) {
  return participant.phase == Phase::waiting || participant.phase == Phase::leftover;
}

bool is_dead(const BreakRequest& request, const Participant& participant) {
  if (participant.liveness == Liveness::dead) return true;
  const JobOracle& oracle = request.options.job_oracle;
  return oracle && !participant.batch.id.empty() && oracle(participant.batch) == JobState::over;
}

bool is_meant(const BreakRequest& request, const Participant& participant) {
  switch (request.whom) {
    case BreakRequest::Whom::dead:
      return is_dead(request, participant);
    case BreakRequest::Whom::all:
      return !holds_nothing(participant) || is_dead(request, participant);
    case BreakRequest::Whom::id:
      break;
  }
  return std::find(request.ids.begin(), request.ids.end(), participant.id) != request.ids.end();
}

std::string who(const Participant& participant) {
  const std::string id = participant.phase == Phase::foreign ? "" : " with the id " + participant.id;
  return describe(participant, std::chrono::system_clock::now()) + id;
}

std::string interrupted() { return std::string("interrupted by ") + signal_name(probe::noted_signal()); }

[[noreturn]] void end_interrupted(const std::string& path) {
  throw Cancelled("breaking leases on", path, interrupted());
}

// False when a signal comes first.
bool await_input() {
  std::array<pollfd, 2> sources{{{STDIN_FILENO, POLLIN, 0}, {probe::interruption().descriptor(), POLLIN, 0}}};
  while (::poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
  }
  return !probe::interruption().cancelled();
}

// One line from the terminal; its end, and a signal, is a no.
bool is_confirmed(const std::string& question) {
  say_without_newline(question + " [y/N] ");
  std::string answer;
  char letter = 0;
  while (await_input() && ::read(STDIN_FILENO, &letter, 1) == 1 && letter != '\n') answer += letter;
  return answer == "y" || answer == "Y" || answer == "yes";
}

// What one command does, step by step.
class Breaking {
 public:
  explicit Breaking(const BreakRequest& request) : request_(request), lock_(request.path, request.options) {}

  int run() {
    const Participants chosen = choose();
    if (chosen.empty()) return refused_ ? exit_refused : nothing_to_do();
    std::vector<std::string> ids;
    for (const Participant& participant : chosen) ids.push_back(participant.id);
    Breaker breaker(lock_);
    const auto outcomes = breaker.take(ids, how(), &probe::interruption());
    const std::exception_ptr unwritten = tell_all(chosen, outcomes);
    settle(breaker);
    if (unwritten) std::rethrow_exception(unwritten);
    if (cancelled_) end_interrupted(request_.path);
    if (refused_) return exit_refused;
    return removed_ ? exit_ok : exit_nothing_to_do;
  }

 private:
  Participants choose() {
    Participants chosen;
    for (const Participant& participant : lock_.status().participants) {
      const bool meant = is_meant(request_, participant);
      if (probe::interruption().cancelled()) leave_all();  // which ends the wait for Slurm's answer, too
      if (!meant) continue;
      if (is_dead(request_, participant) || may_break_living(participant)) chosen.push_back(participant);
    }
    return chosen;
  }

  bool may_break_living(const Participant& participant) {
    if (holds_nothing(participant)) {
      return refuse(who(participant) + " holds nothing and would come again; end its process instead");
    }
    if (request_.force) return true;
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) {
      return refuse(who(participant) + " is not known to be dead, and there is no terminal to ask on; see --force");
    }
    if (is_confirmed("take its lease from " + who(participant) + "?")) return true;
    if (probe::interruption().cancelled()) leave_all();
    return refuse(who(participant) + " was left alone");
  }

  [[noreturn]] void leave_all() const {
    say(interrupted() + ": nobody was broken");
    end_interrupted(request_.path);
  }

  bool refuse(const std::string& why) {
    say(why);
    refused_ = true;
    return false;
  }

  int nothing_to_do() const {
    const bool by_id = request_.whom == BreakRequest::Whom::id;
    const char* none = request_.whom == BreakRequest::Whom::dead ? "no holder that is provably dead" : "no holder";
    say("nothing to do: " + request_.path + " has " + (by_id ? "no holder with that id" : none) +
        "; 'rwlease status' shows who is there");
    return exit_nothing_to_do;
  }

  BreakHow how() const {
    if (request_.whom == BreakRequest::Whom::dead) return BreakHow::if_dead;
    return request_.now ? BreakHow::at_once : BreakHow::safely;
  }

  // What could not be written must not keep the others waiting: it is told in the end.
  std::exception_ptr tell_all(const Participants& chosen, const std::vector<Broken>& outcomes) {
    std::exception_ptr unwritten;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      try {
        tell(chosen[i], outcomes[i]);
      } catch (const std::exception&) {
        unwritten = std::current_exception();
      }
    }
    return unwritten;
  }

  void tell(const Participant& participant, Broken outcome) {
    const std::string text = describe(participant, std::chrono::system_clock::now()) + ' ' + participant.id;
    switch (outcome) {
      case Broken::removed:
        removed_ = true;
        return write_stdout("removed " + printable(text) + '\n');
      case Broken::gone:
        return say(text + " has gone by itself");
      case Broken::alive:
        refuse(text + " is not provably dead, and was left alone");
        return;
      case Broken::cancelled:
        say(interrupted() + ": " + text + " was left alone");
        cancelled_ = true;
    }
  }

  // Interrupted, the entry that stands for a holder that may live stays: without it two could hold at once.
  void settle(Breaker& breaker) const {
    const auto left = breaker.left();
    if (left.count() > 0) {
      say("others get in when it must have noticed, in at most " + to_text(left) +
          "; waiting for that (an interrupt leaves the wait to them)");
    }
    try {
      breaker.settle(&probe::interruption());
    } catch (const Cancelled&) {
      say(interrupted() + ": others get in when they have waited for it");
      throw;
    }
  }

  const BreakRequest& request_;
  const Lock lock_;
  bool refused_ = false;
  bool removed_ = false;
  bool cancelled_ = false;
};

}  // namespace

int break_command(const std::vector<std::string>& arguments) {
  const std::optional<BreakRequest> request = parse_break(arguments);
  if (request) return interruptible([&request] { return Breaking(*request).run(); });
  write_stdout(break_help());
  return exit_ok;
}

}  // namespace rwlease::cli
