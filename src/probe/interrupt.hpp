// Signals that end a program: noted, so that it tidies up first, and noticed by whoever waits.
#pragma once

#include <rwlease/cancel.hpp>

namespace rwlease::probe {

// From now on, the signals that end programs (TERM, INT, HUP, PIPE...) are noted instead, but for those that the
// program was started to ignore, as nohup does. Calls that they interrupt go on, so whoever blocks for long waits for
// interruption() too. Throws Error when no descriptor can be had. Main thread.
void note_signals();

// The one that came first, or 0; PIPE only while no other came.
int noted_signal() noexcept;

// Cancelled by the first signal but PIPE: that nobody reads any more is found out by who writes. Throws as
// note_signals() does.
const Cancel& interruption();

}  // namespace rwlease::probe
