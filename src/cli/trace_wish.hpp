// RWLEASE_TRACE, seen from the command.
#pragma once

namespace rwlease::cli {

// Says so where it asks for an event log that cannot be made. The library tells its log hook and goes on: a trace never
// stops a lease.
void warn_of_missing_trace();

}  // namespace rwlease::cli
