// The seam to the file system: all that the protocol ever asks of one.
#pragma once

#include "fs/attributes.hpp"
#include "fs/result.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

namespace rwlease::fs {

// An open directory. Names are relative to it ("readers/x"), or empty for the directory itself; nothing is ever
// followed through a symlink in the last component. Each call is one system call as far as the system allows, so that
// a simulated file system can stand in and interleave others at every one. Any thread.
class Directory {
 public:
  Directory() = default;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  virtual ~Directory() = default;

  // For messages.
  virtual const std::string& path() const = 0;

  // For what lives outside the protocol (inotify, signal handlers); -1 where there is none.
  virtual int descriptor() const = 0;

  virtual Result open_directory(const std::string& name, std::unique_ptr<Directory>& opened) = 0;

  virtual Result make_symlink(const std::string& target, const std::string& name) = 0;

  // A new file with this content, written in full and synced, or none at all.
  virtual Result make_file(const std::string& content, const std::string& name, mode_t mode) = 0;

  // Has exactly this mode afterwards, whatever the umask; a sticky bit from the first moment on.
  virtual Result make_directory(const std::string& name, mode_t mode) = 0;

  virtual Result rename(const std::string& from, const std::string& to) = 0;
  virtual Result remove(const std::string& name) = 0;
  virtual Result remove_directory(const std::string& name) = 0;
  virtual Result change_mode(const std::string& name, mode_t mode) = 0;
  virtual Result change_group(const std::string& name, gid_t group) = 0;

  // Sets the entry's times to the server's present.
  virtual Result touch(const std::string& name) = 0;

  // Sets the entry's mtime to that many seconds after the epoch.
  virtual Result set_time(const std::string& name, std::int64_t seconds) = 0;

  // Attributes that no cache answers: one question to the server.
  virtual Result look(const std::string& name, Attributes& attributes) = 0;

  // Attributes as this client knows them; right only after its own change.
  virtual Result glance(const std::string& name, Attributes& attributes) = 0;

  virtual Result read_link(const std::string& name, std::string& target) = 0;

  // At most `limit` bytes of a regular file with one link; never blocks on what is not one, leaves no cache behind.
  virtual Result read_file(const std::string& name, std::size_t limit, std::string& content) = 0;

  // All entries but "." and "..". What it shows is fresh only right after an own change of that very directory. An
  // error never looks like an empty directory.
  virtual Result list(const std::string& name, std::vector<Entry>& entries) = 0;

  // The same for a directory whose name always means the same one: through a handle that is kept, which on NFS saves
  // the question that every open asks. One that was removed and made anew is found again.
  virtual Result list_lasting(const std::string& name, std::vector<Entry>& entries) = 0;

  // What follows is for locks at names that others know (soft locks). Leases need none of it, so one that stands in for
  // a directory of leases may leave it out.

  // A second name for the same file.
  virtual Result link(const std::string& /*from*/, const std::string& /*to*/) { return Result(EOPNOTSUPP); }

  // Like make_file, but nothing is removed when it fails half-way: `made` says whether there is a file now. Only the
  // caller knows whether the name still means it. While it is not finished it has the sticky bit, where the file
  // system sets modes in one step.
  virtual Result make_file_in_place(const std::string& /*content*/, const std::string& /*name*/, mode_t /*mode*/,
                                    bool& /*made*/) {
    return Result(EOPNOTSUPP);
  }

  // Like read_file, of a file that may have a second name.
  virtual Result read_linked_file(const std::string& /*name*/, std::size_t /*limit*/, std::string& /*content*/) {
    return Result(EOPNOTSUPP);
  }
};

// Where lock directories are found.
class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  // Opens a directory by path; symlinks on the way are followed, as for any path a user gives.
  virtual Result open(const std::string& path, std::unique_ptr<Directory>& opened) = 0;

  // Whether this user may make and remove entries in the directory. What stands in for one of leases may leave it out.
  virtual Result check_writable(const std::string& /*path*/) { return {}; }

  // Of what the lock protects, not of the lock itself: for publish.
  virtual Result rename(const std::string& from, const std::string& to) = 0;
};

}  // namespace rwlease::fs
