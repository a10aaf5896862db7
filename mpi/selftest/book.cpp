#include "book.hpp"

namespace rwlease::selftest {
namespace {

void judge_overlaps(const Context& context, PhaseLog& log, const Ledger& ledger, const std::string& holder) {
  if (ledger.violations() == 0) return;
  const auto [first, second] = ledger.first_violation();
  log.fail("two that exclude each other held at the same time, both leases in force (each by " + holder + "): first " +
               context.nodes.shown(second) + " came in beside " + context.nodes.shown(first),
           ledger.violations());
}

}  // namespace

void judge_book(Context& context, PhaseLog& log, const std::string& holder) {
  const Ledger ledger = context.referee->close_book();
  log.count("reads", ledger.reads());
  log.count("writes", ledger.writes());
  log.count("most_readers_at_once", static_cast<std::uint64_t>(ledger.most_readers()));
  log.count("lapsed", ledger.lapsed());
  log.count("overlaps_with_lapsed", ledger.unclear());
  judge_overlaps(context, log, ledger, holder);
  if (ledger.fences_back() != 0) {
    log.fail("a write lease's number was not greater than one before", ledger.fences_back());
  }
  if (ledger.reads() == 0 || ledger.writes() == 0) log.fail("nothing was shown: nobody got in for one of the modes");
  if (ledger.lapsed() != 0) {
    log.note(std::to_string(ledger.lapsed()) +
             " leases lapsed while held: heartbeats did not come through in time, or ranks stood still");
  }
  context.timings.at(Operation::hand_off, Load::contended).add(ledger.hand_offs());
  context.stays.insert(context.stays.end(), ledger.stays().begin(), ledger.stays().end());
}

}  // namespace rwlease::selftest
