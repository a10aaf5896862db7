// One claim wins: of several nodes that rename their directories to one name at the same moment, exactly one succeeds.
#include "context.hpp"
#include "rounds.hpp"

#include <string>
#include <system_error>

namespace rwlease::selftest {
namespace {

class ClaimRace {
 public:
  ClaimRace(const Context& context, PhaseLog& log)
      : context_(context),
        log_(log),
        team_(*context.seats.team),
        folder_(context.path("claims"), context.terms.kind),
        prepared_(".w." + std::to_string(team_.rank())),
        marker_("m" + std::to_string(team_.rank())) {}

  void run_once() {
    log_.guarded([&] { prepare(); });
    team_.barrier();
    const int error = folder_.rename(prepared_, "writer");
    const bool wins = error == 0;
    judge_claims(error);
    judge_removal(wins);
    team_.barrier();
    log_.guarded([&] { clear(wins); });
    team_.barrier();
    const int gone = folder_.remove_directory_surely("writer");
    if (gone != 0 && !is_absent(gone)) log_.guarded([&] { folder_.require(gone, "removing", "writer"); });
    team_.barrier();
  }

 private:
  void prepare() const {
    folder_.require(folder_.make_directory(prepared_), "making", prepared_);
    const std::string marker = prepared_ + "/" + marker_;
    folder_.require(folder_.make_marker(marker, "claim"), "making", marker);
  }

  void judge_claims(int error) {
    if (error != 0 && !is_not_empty(error)) {
      log_.guarded(
          [&] { folder_.require(error, "claiming (renaming a directory onto one that is not empty)", "writer"); });
    }
    const bool says_so = error == 0 || context_.broken(Breakage::claim);
    const auto winners = team_.sum({says_so ? 1U : 0U})[0];
    if (team_.rank() != 0) return;
    log_.count("races");
    if (winners != 1)
      log_.fail("of " + std::to_string(team_.size()) + " that claimed at once " + std::to_string(winners) + " won");
  }

  // A claim that stands must not be removable by others.
  void judge_removal(bool wins) {
    if (wins) return;
    const int error = folder_.remove_directory_surely("writer");
    if (is_not_empty(error)) return;
    log_.fail("rmdir of a claim with a marker in it did not say \"not empty\" but \"" +
              std::generic_category().message(error) + "\"");
  }

  void clear(bool wins) const {
    if (wins) return folder_.require(folder_.remove("writer/" + marker_), "removing", "writer/" + marker_);
    folder_.require(folder_.remove(prepared_ + "/" + marker_), "removing", prepared_);
    folder_.require(folder_.remove_directory(prepared_), "removing", prepared_);
  }

  const Context& context_;
  PhaseLog& log_;
  const Team& team_;
  Folder folder_;
  std::string prepared_;
  std::string marker_;
};

}  // namespace

void test_claims(Context& context, PhaseLog& log, std::chrono::nanoseconds budget) {
  if (!context.seats.team) return;
  ClaimRace race(context, log);
  for (Rounds rounds(*context.seats.team, budget); rounds.next();) race.run_once();
}

}  // namespace rwlease::selftest
