// Making, opening and checking the lock directory.
#pragma once

#include "fs/directory.hpp"
#include "fs/host.hpp"
#include "protocol/site.hpp"

#include <rwlease/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::protocol {

struct Access {
  bool group_shared = false;
  std::optional<gid_t> group;  // which one; unset: whatever the file system gave it
};

// A path's last component and the directory it is in.
struct Place {
  std::string parent;
  std::string name;
};
Place split(const std::string& path);

// Opens the lock directory at `path`, making what is missing of it. Its parent must exist. Refuses (UnsafeDirectory)
// what somebody else could have put there: a symlink, what is not a directory, a directory of another owner (without
// group sharing), of another group (with it), or open to others. Throws Error.
std::unique_ptr<fs::Directory> open_lock_directory(fs::FileSystem& file_system, const fs::Host& host,
                                                   const std::string& path, const Access& access);

// With what open_lock_directory() would refuse one that exists, with and without group sharing; with the words for a
// directory that is not shared. Empty where one of the two ways is open, or that cannot be found out. Changes nothing.
std::optional<UnsafeDirectory> refusal_of(fs::Directory& directory, const fs::Host& host);

// Tries out whether symlinks, and setting their times, work in the lock directory; leaves nothing. Throws Error when
// not even trying works.
MarkerKind probe_marker_kind(const Site& site);

// Names beside PATH that another lock program keeps for the same PATH.
std::vector<std::string> find_neighbours(fs::FileSystem& file_system, const std::string& lock_name);

}  // namespace rwlease::protocol
