// What one node has changed every other sees at its next forced look, and in its next listing after an own change.
#include "context.hpp"
#include "probe/glimpse.hpp"
#include "rounds.hpp"

#include <string>

namespace rwlease::selftest {
namespace {

std::string folder_of(const Context& context, int seat) { return context.path("freshness/" + std::to_string(seat)); }

// Every seat changes its own folder and looks at another's, in lock-step. MPI says when a change is done.
class Glimpses {
 public:
  Glimpses(Context& context, PhaseLog& log, const Folder& own)
      : context_(context), log_(log), team_(*context.seats.team), own_(own) {}

  // Looks at the folder of the seat `shift` places on.
  void look_at(int shift, int round) {
    const int other = (team_.rank() + shift) % team_.size();
    const Folder theirs(folder_of(context_, other), context_.terms.kind);
    probe::Glimpse glimpse(own_, theirs, !context_.broken(Breakage::stale),
                           std::to_string(shift) + "-" + std::to_string(round), std::to_string(team_.rank()),
                           report_on(other));
    for (const auto& step : glimpse.steps()) {
      log_.guarded(step.change);
      team_.barrier();
      log_.guarded(step.look);
      team_.barrier();
    }
  }

 private:
  probe::GlimpseReport report_on(int other) {
    const auto timed = [this](const char* what, Operation operation) {
      return [this, what, operation](std::chrono::nanoseconds duration) {
        log_.count(what);
        context_.timings.add(operation, Load::contended, duration);
      };
    };
    const auto complain = [this, other](const std::string& what) {
      log_.fail(what + ": " + context_.seat_shown(other) + " did it, " + context_.seat_shown(team_.rank()) + " looked");
    };
    return {complain, timed("looks", Operation::look), timed("listings", Operation::list_fresh),
            [this] { log_.count("late_removals"); }};
  }

  Context& context_;
  PhaseLog& log_;
  const Team& team_;
  const Folder& own_;
};

}  // namespace

void test_freshness(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  if (!context.seats.team) return;
  const Team& team = *context.seats.team;
  const Folder own(folder_of(context, team.rank()), context.terms.kind);
  Glimpses glimpses(context, log, own);
  for (Rounds rounds(team, budget); rounds.next();) {
    for (int shift = 1; shift < team.size(); ++shift) glimpses.look_at(shift, rounds.number());
    if (team.rank() == 0) log.count("rounds_of_all_pairs");
  }
}

}  // namespace rwlease::selftest
