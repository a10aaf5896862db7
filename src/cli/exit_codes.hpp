// What the rwlease command exits with.
#pragma once

namespace rwlease::cli {

constexpr int exit_ok = 0;
constexpr int exit_lost = 123;            // the lease was lost; the command was ended, or had ended by itself
constexpr int exit_not_obtained = 124;    // --timeout passed; -E changes it
constexpr int exit_failure = 125;         // rwlease itself failed, or was called wrongly
constexpr int exit_not_executable = 126;  // the command was found but could not be run
constexpr int exit_not_found = 127;       // there is no such command
constexpr int exit_signal_base = 128;     // plus N: signal N ended the command, or the wait for the lease

}  // namespace rwlease::cli
