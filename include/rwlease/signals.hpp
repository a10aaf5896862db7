// Giving up leases when a signal ends the process.
#pragma once

#include <rwlease/export.hpp>

#include <initializer_list>

namespace rwlease {

// From now on each of these signals first ends the leases of this process, then does what it did before (for the
// default action: the process dies of that signal). Batch systems send SIGTERM some time before SIGKILL, so the next
// holder need not wait for the lease to run out.
//
// A signal that is ignored (SIGHUP under nohup) stays so and ends nothing. What was written under a lease must have
// been closed or synced before, as for any release: the marker goes first, the process after it.
//
// Leases with Options::sole = false are left alone, because others may go on working under them: when the process dies
// they run out.
//
// The handler is async-signal-safe: it makes valid() false everywhere, then removes each marker with one unlink (two
// calls for a writer's). A program whose previous handler goes on working no longer holds anything; on_lost is not
// called. Attempts that still wait are not withdrawn; use a Cancel for them.
//
// Any thread, any number of times; not undone. Throws Error when sigaction refuses (SIGKILL, SIGSTOP, no such signal);
// then none of the signals is changed.
RWLEASE_EXPORT void release_on_signals(std::initializer_list<int> signals);

}  // namespace rwlease
