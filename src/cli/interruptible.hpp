// Commands that make or take something end on a signal only when they have tidied up.
#pragma once

#include <functional>

namespace rwlease::cli {

// Runs it with signals noted (probe/interrupt.hpp): its exit code; 128 plus N when signal N made it throw Cancelled or
// probe::Interrupted, or its output could not be written any more because nobody reads it. What else it throws comes
// out. A signal that comes too late to stop it changes nothing. Where the file system hangs, it is left when the grace
// period has passed (last_word.hpp).
int interruptible(const std::function<int()>& work);

}  // namespace rwlease::cli
