// Reading a lock directory without touching it.
#pragma once

#include "fs/clock.hpp"
#include "fs/directory.hpp"
#include "fs/host.hpp"

#include <rwlease/status.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace rwlease::protocol {

// Who holds, claims, waits, and what is left over. A directory that is not there is an unused lock. What another host
// did a moment ago may be missing: only an own change would make a listing fresh, and this changes nothing. Throws
// Error when the directory cannot be read.
Status survey(fs::FileSystem& file_system, const fs::Host& host, const std::string& lock_name,
              const std::string& directory);

// Opens the lock directory without making it; empty where it is not there. Throws Error, UnsafeDirectory.
std::unique_ptr<fs::Directory> open_to_read(fs::FileSystem& file_system, const std::string& directory);

// As fresh as a look can make it, which is less than an own change would; empty where it is not there. Throws Error.
std::vector<fs::Entry> list_by_looking(fs::Directory& directory, const std::string& name);

// A process's state as people are told it.
Liveness liveness_of(fs::ProcessState state) noexcept;

// A time that a record or a file server gives.
std::chrono::system_clock::time_point wall_time(std::chrono::nanoseconds since_epoch);

// Participant::id of the entry at that path.
std::string participant_id(const std::string& path);

// The marker at that path: in a claim in preparation that which is in it.
std::string marker_of(const std::string& path);

// What is known of one marker, for Status and for those who wait.
Participant describe(fs::Directory& directory, const fs::Host& host, const std::string& path);

}  // namespace rwlease::protocol
