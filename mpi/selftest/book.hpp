// What the referee's book of a phase says.
#pragma once

#include "context.hpp"

#include <string>

namespace rwlease::selftest {

// On rank 0: closes the book and judges it. `holder` names what held: "process". The phase counts reads, writes,
// most_readers_at_once, lapsed, overlaps_with_lapsed.
void judge_book(Context& context, PhaseLog& log, const std::string& holder);

}  // namespace rwlease::selftest
