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

std::string octal(mode_t mode) {
  char text[12];  // for any mode_t
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode));
  return text;
}

constexpr const char* opening = "opening lock directory";

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw UnsafeDirectory(opening, path, why); }

constexpr const char* making = "making lock directory";

// No DirectoryGone here: what is missing is the parent, and nobody would bring it back.
void check_parent(const std::string& path, fs::Result result) {
  if (result.absent()) throw Error(making, path, result.text() + " (its parent directory must exist)", result.code());
}

// Opens what this user has made to the group that is to share it.
fs::Result share(fs::Directory& parent, const std::string& name, const Access& access) {
  fs::Result result;
  if (access.group_shared && access.group) result = parent.change_group(name, *access.group);
  if (result.ok() && access.group_shared) result = parent.change_mode(name, shared_mode);
  return result;
}

// Makes a directory of the lock, closed to all others until its group is right. One that exists is left as it is.
void make(fs::Directory& parent, const std::string& name, const Access& access) {
  const std::string path = parent.path() + "/" + name;
  fs::Result result = parent.make_directory(name, owner_all);
  if (result.error() == EEXIST) return;
  if (result.ok()) result = share(parent, name, access);
  if (result.ok()) return;
  static_cast<void>(parent.remove_directory(name));
  fail(making, path, result);
}

constexpr const char* no_directory = "it is not a directory";

// Why one that is this user's alone is refused; empty where it is not.
std::string private_refusal(const fs::Attributes& found, const fs::Host& host) {
  if (found.uid != host.user()) {
    return "it belongs to user " + std::to_string(found.uid) + ", not to user " + std::to_string(host.user()) +
           "; with group sharing several users can use one lock";
  }
  if ((found.mode & (group_write | others_any)) == 0) return {};
  return "mode " + octal(found.mode) + " lets other users in; chmod it to 0700, or use group sharing";
}

// Likewise one that a group shares.
std::string shared_refusal(const fs::Attributes& found, const std::optional<gid_t>& group) {
  if (group && found.gid != *group) {
    return "it belongs to group " + std::to_string(found.gid) + ", not to group " + std::to_string(*group);
  }
  if ((found.mode & others_any) != 0) return "mode " + octal(found.mode) + " lets other users in; chmod it to 2770";
  if ((found.mode & group_all) == group_all) return {};
  return "mode " + octal(found.mode) +
         " keeps the group out; open it with group sharing everywhere, or chmod it and what is in it to 2770";
}

void check(const fs::Attributes& found, const std::string& path, const Access& access, const fs::Host& host) {
  if (found.type != fs::Type::directory) refuse(path, no_directory);
  const std::string why = access.group_shared ? shared_refusal(found, access.group) : private_refusal(found, host);
  if (!why.empty()) refuse(path, why);
}

// A creator with an odd umask, or one that died half-way, may have left our own directory closed to us, or to the group
// that is to share it. Without readers/ nobody uses the lock yet.
void open_up(fs::Directory& parent, const std::string& name, const fs::Attributes& found, const Access& access,
             const fs::Host& host) {
  if (found.type != fs::Type::directory || found.uid != host.user()) return;
  if ((found.mode & owner_all) != owner_all) static_cast<void>(parent.change_mode(name, found.mode | owner_all));
  if (!access.group_shared || (found.mode & group_all) == group_all) return;
  fs::Attributes ignored;
  const bool unused = parent.look(name + "/" + readers_name, ignored).error() == ENOENT;
  if (unused) static_cast<void>(share(parent, name, access));
}

std::unique_ptr<fs::Directory> open_checked(fs::Directory& parent, const std::string& name, const Access& access,
                                            const fs::Host& host) {
  const std::string path = parent.path() + "/" + name;
  std::unique_ptr<fs::Directory> opened;
  const fs::Result result = parent.open_directory(name, opened);
  if (result.error() == ELOOP || result.error() == ENOTDIR) refuse(path, "it is a symlink or not a directory");
  if (result.error() == EACCES) refuse(path, "it is closed to this user; see its owner and mode");
  if (!result.ok()) fail(opening, path, result);
  fs::Attributes found;
  const fs::Result looked = opened->look("", found);
  if (!looked.ok()) fail("looking at lock directory", path, looked);
  check(found, path, access, host);
  return opened;
}

// Stops at the first call that fails. `works`: what was set was there afterwards.
fs::Result try_symlink(fs::Directory& directory, const std::string& name, const std::string& text, bool& works) {
  constexpr std::int64_t some_time = 1'000'000'000;
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  fs::Attributes found;
  std::string target;
  fs::Result result = directory.make_symlink(text, name);
  if (result.ok()) result = directory.set_time(name, some_time);
  if (result.ok()) result = directory.look(name, found);
  if (result.ok()) result = directory.read_link(name, target);
  works = found.stamp.mtime_ns == some_time * nanoseconds && found.type == fs::Type::symlink && target == text;
  return result;
}

// Made under a hidden name and renamed into place once it is shared, so that no colleague meets it closed. Who comes
// second finds it in use, or replaces an empty one by an empty one.
void make_shared_readers(fs::Directory& directory, const Access& access, const fs::Host& host) {
  const std::string hidden = hidden_prefix + host.random_token();
  make(directory, hidden, access);
  const fs::Result result = directory.rename(hidden, readers_name);
  if (result.ok()) return;
  static_cast<void>(directory.remove_directory(hidden));
  if (!result.not_empty()) fail(making, directory.path() + "/" + readers_name, result);
}

// readers/ may be missing, or closed, where its creator died half-way.
void complete(fs::Directory& directory, const Access& access, const fs::Host& host) {
  fs::Attributes readers;
  if (!directory.look(readers_name, readers).ok()) {
    return access.group_shared ? make_shared_readers(directory, access, host) : make(directory, readers_name, access);
  }
  if (readers.type != fs::Type::directory) refuse(directory.path() + "/" + readers_name, no_directory);
  const mode_t wanted = access.group_shared ? shared_mode : owner_all;
  const bool closed = (readers.mode & wanted) != wanted;
  if (closed && readers.uid == host.user()) static_cast<void>(directory.change_mode(readers_name, wanted));
}

}  // namespace

Place split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::unique_ptr<fs::Directory> open_lock_directory(fs::FileSystem& file_system, const fs::Host& host,
                                                   const std::string& path, const Access& access) {
  const Place place = split(path);
  std::unique_ptr<fs::Directory> parent;
  const fs::Result result = file_system.open(place.parent, parent);
  check_parent(path, result);
  if (!result.ok()) fail(making, path, result);
  fs::Attributes ignored;
  static_cast<void>(parent->look("", ignored));  // a cached answer would show one that was removed
  fs::Attributes found;
  const fs::Result there = parent->look(place.name, found);
  if (there.absent()) make(*parent, place.name, access);
  if (there.ok()) open_up(*parent, place.name, found, access, host);
  auto opened = open_checked(*parent, place.name, access, host);
  complete(*opened, access, host);
  return opened;
}

std::optional<UnsafeDirectory> refusal_of(fs::Directory& directory, const fs::Host& host) {
  fs::Attributes found;
  if (!directory.look("", found).ok()) return std::nullopt;
  const std::string why = private_refusal(found, host);
  if (!why.empty() && !shared_refusal(found, std::nullopt).empty()) {
    return UnsafeDirectory(opening, directory.path(), why);
  }
  fs::Attributes readers;
  const bool stands = directory.look(readers_name, readers).ok();
  if (!stands || readers.type == fs::Type::directory) return std::nullopt;
  return UnsafeDirectory(opening, directory.path() + "/" + readers_name, no_directory);
}

MarkerKind probe_marker_kind(const Site& site) {
  const std::string probe = probe_prefix + new_id(site).text();
  bool works = false;
  const fs::Result result = try_symlink(*site.directory, probe, site.self->text(), works);
  static_cast<void>(remove_entry(site, probe));  // also when it failed: the reply may have been lost
  // What may pass by itself, or with some space freed, says nothing about symlinks.
  const bool full = result.error() == ENOSPC || result.error() == EDQUOT;
  if (result.absent() || result.transient() || full) fail("trying out a symlink in", site.directory->path(), result);
  return result.ok() && works ? MarkerKind::symlink : MarkerKind::file;
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
