#include "protocol/lock_directory.hpp"

#include "protocol/failure.hpp"
#include "protocol/marker.hpp"

#include <cerrno>
#include <cstdio>

namespace rwlease::protocol {
namespace {

constexpr mode_t owner_all = 0700;
constexpr mode_t group_all = 0070;
constexpr mode_t others_any = 0007;
constexpr mode_t group_write = 0020;
constexpr mode_t shared_mode = 02770;

struct Place {
  std::string parent;
  std::string name;
};

Place split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode));
  return text;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UnsafeDirectory("opening lock directory", path, why);
}

void fail_to_make(const std::string& path, fs::Result result) {
  // No DirectoryGone here: what is missing is the parent, and nobody would bring it back.
  if (result.absent()) {
    throw Error("making lock directory", path, result.text() + " (its parent directory must exist)", result.code());
  }
  fail("making lock directory", path, result);
}

// Makes a directory of the lock, closed to all others until its group is right. One that exists is left as it is.
void make(fs::Directory& parent, const std::string& name, const Access& access) {
  const std::string path = parent.path() + "/" + name;
  fs::Result result = parent.make_directory(name, owner_all);
  if (result.error() == EEXIST) return;
  if (result.ok() && access.group_shared && access.group) result = parent.change_group(name, *access.group);
  if (result.ok() && access.group_shared) result = parent.change_mode(name, shared_mode);
  if (result.ok()) return;
  static_cast<void>(parent.remove_directory(name));
  fail_to_make(path, result);
}

void check_owner(const std::string& path, const fs::Attributes& found, const fs::Host& host) {
  if (found.uid != host.user()) {
    refuse(path, "it belongs to user " + std::to_string(found.uid) + ", not to user " + std::to_string(host.user()) +
                     "; with group sharing several users can use one lock");
  }
  if ((found.mode & (group_write | others_any)) != 0) {
    refuse(path, "mode " + octal(found.mode) + " lets other users in; chmod it to 0700, or use group sharing");
  }
}

void check_group(const std::string& path, const fs::Attributes& found, const Access& access) {
  if (access.group && found.gid != *access.group) {
    refuse(path, "it belongs to group " + std::to_string(found.gid) + ", not to group " + std::to_string(*access.group));
  }
  if ((found.mode & others_any) != 0) refuse(path, "mode " + octal(found.mode) + " lets other users in; chmod it to 2770");
  if ((found.mode & group_all) != group_all) {
    refuse(path, "mode " + octal(found.mode) + " keeps the group out; open it with group sharing everywhere, or chmod "
                 "it and what is in it to 2770");
  }
}

void check(const fs::Attributes& found, const std::string& path, const Access& access, const fs::Host& host) {
  if (found.type != fs::Type::directory) refuse(path, "it is not a directory");
  access.group_shared ? check_group(path, found, access) : check_owner(path, found, host);
}

// A creator with an odd umask, or one that died half-way, may have left our own directory closed to us.
void open_up(fs::Directory& parent, const std::string& name, const Access& access, const fs::Host& host) {
  fs::Attributes found;
  if (!parent.look(name, found).ok() || found.type != fs::Type::directory || found.uid != host.user()) return;
  const bool unfinished = access.group_shared && found.mode == owner_all;
  if ((found.mode & owner_all) == owner_all && !unfinished) return;
  static_cast<void>(parent.change_mode(name, access.group_shared ? shared_mode : found.mode | owner_all));
}

std::unique_ptr<fs::Directory> open_checked(fs::Directory& parent, const std::string& name, const Access& access,
                                            const fs::Host& host) {
  const std::string path = parent.path() + "/" + name;
  std::unique_ptr<fs::Directory> opened;
  const fs::Result result = parent.open_directory(name, opened);
  if (result.error() == ELOOP || result.error() == ENOTDIR) refuse(path, "it is a symlink or not a directory");
  if (result.error() == EACCES) refuse(path, "it is closed to this user; see its owner and mode");
  if (!result.ok()) fail("opening lock directory", path, result);
  fs::Attributes found;
  const fs::Result looked = opened->look("", found);
  if (!looked.ok()) fail("looking at lock directory", path, looked);
  check(found, path, access, host);
  return opened;
}

// Without readers/ nobody uses the lock yet: its creator is half-way or died there.
void complete(fs::Directory& parent, const std::string& name, fs::Directory& directory, const Access& access,
              const fs::Host& host) {
  fs::Attributes readers;
  if (directory.look(readers_name, readers).ok()) {
    if (readers.type != fs::Type::directory) refuse(directory.path() + "/" + readers_name, "it is not a directory");
    if ((readers.mode & owner_all) != owner_all) open_up(directory, readers_name, access, host);
    return;
  }
  open_up(parent, name, access, host);
  make(directory, readers_name, access);
}

}  // namespace

std::unique_ptr<fs::Directory> open_lock_directory(fs::FileSystem& file_system, const fs::Host& host,
                                                   const std::string& path, const Access& access) {
  const Place place = split(path);
  std::unique_ptr<fs::Directory> parent;
  const fs::Result result = file_system.open(place.parent, parent);
  if (!result.ok()) fail_to_make(path, result);
  fs::Attributes ignored;
  static_cast<void>(parent->look("", ignored));  // a cached answer would show one that was removed
  std::unique_ptr<fs::Directory> opened;
  fs::Result there = parent->open_directory(place.name, opened);
  if (there.absent()) make(*parent, place.name, access);
  if (there.error() == EACCES) open_up(*parent, place.name, access, host);
  opened = open_checked(*parent, place.name, access, host);
  complete(*parent, place.name, *opened, access, host);
  return opened;
}

MarkerKind probe_marker_kind(const Site& site) {
  constexpr std::int64_t some_time = 1'000'000'000;
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  const std::string probe = probe_prefix + new_id(site).text();
  const fs::Result made = site.directory->make_symlink(site.self.text(), probe);
  if (made.absent() || made.transient()) fail("probing", site.directory->path(), made);
  if (!made.ok()) return MarkerKind::file;
  fs::Attributes found;
  std::string target;
  const bool works = site.directory->set_time(probe, some_time).ok() && site.directory->look(probe, found).ok() &&
                     found.stamp.mtime_ns == some_time * nanoseconds && found.type == fs::Type::symlink &&
                     site.directory->read_link(probe, target).ok() && target == site.self.text();
  static_cast<void>(remove_entry(site, probe));
  return works ? MarkerKind::symlink : MarkerKind::file;
}

std::vector<std::string> find_neighbours(fs::FileSystem& file_system, const std::string& lock_name) {
  const Place place = split(lock_name);
  std::unique_ptr<fs::Directory> parent;
  std::vector<std::string> found;
  if (!file_system.open(place.parent, parent).ok()) return found;
  for (const char* suffix : {".rw", ".state", ".write", ".readers"}) {
    fs::Attributes ignored;
    if (parent->glance(place.name + suffix, ignored).ok()) found.push_back(lock_name + suffix);
  }
  return found;
}

}  // namespace rwlease::protocol
