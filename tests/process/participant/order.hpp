// The clock by which holds are reported.
#pragma once

#include <rwlease/lease.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace rwlease::test {

// From now on stamps come from an ordering service, for participants on several hosts: a TCP server at "ADDRESS:PORT"
// that answers each byte with a line that holds its own monotonic time in nanoseconds. Before anything is reported.
// Throws std::system_error.
void order_by(const std::string& service);

// CLOCK_MONOTONIC of this host, or of the service; a time between the call and its return. Throws std::system_error.
std::chrono::nanoseconds order_now();

// The same, of a moment at which the lease was in force; nothing when it may not have been.
std::optional<std::chrono::nanoseconds> order_now_in_force(const Lease& lease);

}  // namespace rwlease::test
