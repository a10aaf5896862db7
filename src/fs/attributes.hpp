// What a look at a directory entry tells.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace rwlease::fs {

enum class Type { directory, symlink, file, other };

// What changes whenever an entry's owner shows life. Compared for equality only, never with a clock.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  friend bool operator==(const Stamp& a, const Stamp& b) {
    return a.inode == b.inode && a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns;
  }
  friend bool operator!=(const Stamp& a, const Stamp& b) { return !(a == b); }
};

struct Attributes {
  Type type = Type::other;
  Stamp stamp;
  mode_t mode = 0;  // permission bits only
  uid_t uid = 0;
  gid_t gid = 0;
  std::uint64_t links = 0;
  std::uint64_t size = 0;
  std::uint64_t device = 0;
};

struct Entry {
  std::string name;
  bool hidden() const { return name.front() == '.'; }
};

}  // namespace rwlease::fs
