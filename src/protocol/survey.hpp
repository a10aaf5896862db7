// Reading a lock directory without touching it.
#pragma once

#include "fs/clock.hpp"
#include "fs/directory.hpp"
#include "fs/host.hpp"

#include <rwlease/status.hpp>

#include <string>

namespace rwlease::protocol {

// Who holds, claims, waits, and what is left over. A directory that is not there is an unused lock. What another host
// did a moment ago may be missing: only an own change would make a listing fresh, and this changes nothing. Throws
// Error when the directory cannot be read.
Status survey(fs::FileSystem& file_system, const fs::Host& host, const std::string& lock_name,
              const std::string& directory);

// What is known of one marker, for Status and for those who wait.
Participant describe(fs::Directory& directory, const fs::Host& host, const std::string& path);

}  // namespace rwlease::protocol
