#include "fs/posix.hpp"

#include "fs/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace rwlease::fs {
namespace {

constexpr unsigned attribute_mask = STATX_BASIC_STATS & ~STATX_ATIME;

// Some mounts (intr, FUSE) interrupt calls that have done nothing yet.
template <class Call>
auto retried(Call call) {
  decltype(call()) outcome;
  do {
    outcome = call();
  } while (outcome == -1 && errno == EINTR);
  return outcome;
}

template <class Call>
Result result_of(Call call) {
  return retried(call) == -1 ? Result(errno) : Result();
}

Type type_of(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return Type::directory;
    case S_IFLNK:
      return Type::symlink;
    case S_IFREG:
      return Type::file;
    default:
      return Type::other;
  }
}

std::int64_t nanoseconds(std::int64_t seconds, std::int64_t fraction) {
  // A half-made file on NFS can carry any time at all: wrap, don't overflow.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) * 1'000'000'000U +
                                   static_cast<std::uint64_t>(fraction));
}

Attributes attributes_of(const struct statx& raw) {
  Attributes attributes;
  attributes.type = type_of(raw.stx_mode);
  attributes.stamp.inode = raw.stx_ino;
  attributes.stamp.mtime_ns = nanoseconds(raw.stx_mtime.tv_sec, raw.stx_mtime.tv_nsec);
  attributes.stamp.ctime_ns = nanoseconds(raw.stx_ctime.tv_sec, raw.stx_ctime.tv_nsec);
  attributes.mode = raw.stx_mode & 07777U;
  attributes.uid = raw.stx_uid;
  attributes.gid = raw.stx_gid;
  attributes.links = raw.stx_nlink;
  attributes.size = raw.stx_size;
  attributes.device = ::makedev(raw.stx_dev_major, raw.stx_dev_minor);
  return attributes;
}

Attributes attributes_of(const struct stat& raw) {
  Attributes attributes;
  attributes.type = type_of(raw.st_mode);
  attributes.stamp.inode = raw.st_ino;
  attributes.stamp.mtime_ns = nanoseconds(raw.st_mtim.tv_sec, raw.st_mtim.tv_nsec);
  attributes.stamp.ctime_ns = nanoseconds(raw.st_ctim.tv_sec, raw.st_ctim.tv_nsec);
  attributes.mode = raw.st_mode & 07777U;
  attributes.uid = raw.st_uid;
  attributes.gid = raw.st_gid;
  attributes.links = raw.st_nlink;
  attributes.size = static_cast<std::uint64_t>(raw.st_size);
  attributes.device = raw.st_dev;
  return attributes;
}

// Where statx is missing (old kernels, some sandboxes), opening the directory again is the freshest look there is.
Result look_without_statx(int directory, const std::string& name, bool forced, Attributes& attributes) {
  if (forced) Descriptor(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat raw = {};
  const Result result =
      result_of([&] { return ::fstatat(directory, name.c_str(), &raw, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH); });
  if (result.ok()) attributes = attributes_of(raw);
  return result;
}

Result statx_of(int directory, const std::string& name, int sync, Attributes& attributes) {
  struct statx raw = {};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT | sync;
  const Result result = result_of([&] { return ::statx(directory, name.c_str(), flags, attribute_mask, &raw); });
  if (result.error() == ENOSYS) {
    return look_without_statx(directory, name, sync == AT_STATX_FORCE_SYNC, attributes);
  }
  if (result.ok()) attributes = attributes_of(raw);
  return result;
}

Result write_all(int descriptor, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t written = retried([&] { return ::write(descriptor, content.data() + done, content.size() - done); });
    if (written < 0) return Result(errno);
    done += static_cast<std::size_t>(written);
  }
  return {};
}

// Everything that can fail late (quota at close) fails here, before the name is published.
Result fill_file(Descriptor file, const std::string& content, mode_t mode) {
  Result result = write_all(file.get(), content);
  if (result.ok()) result = result_of([&] { return ::fchmod(file.get(), mode); });
  if (result.ok()) result = result_of([&] { return ::fsync(file.get()); });
  const int closed = ::close(file.release());
  return result.ok() && closed == -1 && errno != EINTR ? Result(errno) : result;
}

// The kernel's own record of a directory entry; glibc's readdir hides errors that matter here.
struct RawEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  unsigned char type;
  char name[1];
};

void append_entries(const char* data, std::size_t size, std::vector<Entry>& entries) {
  for (std::size_t at = 0; at < size;) {
    std::uint16_t length = 0;
    std::memcpy(&length, data + at + offsetof(RawEntry, length), sizeof length);
    const char* name = data + at + offsetof(RawEntry, name);
    if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) entries.push_back(Entry{name});
    at += length;
  }
}

// As this client knows it, without a question to the server.
Result inode_of(int directory, const std::string& name, std::uint64_t& inode) {
  Attributes attributes;
  const Result result = statx_of(directory, name, AT_STATX_DONT_SYNC, attributes);
  if (result.ok()) inode = attributes.stamp.inode;
  return result;
}

Result read_entries(int handle, std::vector<Entry>& entries) {
  entries.clear();
  alignas(8) std::array<char, 32'768> buffer;
  for (;;) {
    const long size = retried([&] { return ::syscall(SYS_getdents64, handle, buffer.data(), buffer.size()); });
    if (size == -1) return Result(errno);
    if (size == 0) return {};
    append_entries(buffer.data(), static_cast<std::size_t>(size), entries);
  }
}

}  // namespace

Result PosixFileSystem::open(const std::string& path, std::unique_ptr<Directory>& opened) {
  const int descriptor = retried([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor == -1) return Result(errno);
  opened = std::make_unique<PosixDirectory>(descriptor, path);
  return {};
}

Result PosixFileSystem::check_writable(const std::string& path) {
  return result_of([&] { return ::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS); });
}

Result PosixFileSystem::rename(const std::string& from, const std::string& to) {
  return result_of([&] { return ::rename(from.c_str(), to.c_str()); });
}

PosixDirectory::~PosixDirectory() { ::close(descriptor_); }

Result PosixDirectory::open_directory(const std::string& name, std::unique_ptr<Directory>& opened) {
  const int descriptor =
      retried([&] { return ::openat(descriptor_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); });
  if (descriptor == -1) return Result(errno);
  opened = std::make_unique<PosixDirectory>(descriptor, path_ + "/" + name);
  return {};
}

Result PosixDirectory::make_symlink(const std::string& target, const std::string& name) {
  return result_of([&] { return ::symlinkat(target.c_str(), descriptor_, name.c_str()); });
}

Result PosixDirectory::make_file(const std::string& content, const std::string& name, mode_t mode) {
  bool made = false;
  const Result result = make_file_with(mode, content, name, mode, made);
  if (made && !result.ok()) ::unlinkat(descriptor_, name.c_str(), 0);
  return result;
}

Result PosixDirectory::make_file_in_place(const std::string& content, const std::string& name, mode_t mode,
                                          bool& made) {
  return make_file_with(mode | S_ISVTX, content, name, mode, made);
}

Result PosixDirectory::make_file_with(mode_t first_mode, const std::string& content, const std::string& name,
                                      mode_t mode, bool& made) {
  const int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_WRONLY;
  Descriptor file(retried([&] { return ::openat(descriptor_, name.c_str(), flags, first_mode); }));
  made = file.open();
  return made ? fill_file(std::move(file), content, mode) : Result(errno);
}

Result PosixDirectory::link(const std::string& from, const std::string& to) {
  return result_of([&] { return ::linkat(descriptor_, from.c_str(), descriptor_, to.c_str(), 0); });
}

Result PosixDirectory::make_directory(const std::string& name, mode_t mode) {
  const Result result = result_of([&] { return ::mkdirat(descriptor_, name.c_str(), mode & 01777U); });
  if (!result.ok()) return result;
  // The reply to mkdir carried the mode that the umask left of it: this look costs no question to the server.
  Attributes made;
  if (glance(name, made).ok() && made.mode == mode) return {};
  const Result changed = change_mode(name, mode);
  if (!changed.ok()) ::unlinkat(descriptor_, name.c_str(), AT_REMOVEDIR);
  return changed;
}

Result PosixDirectory::rename(const std::string& from, const std::string& to) {
  return result_of([&] { return ::renameat(descriptor_, from.c_str(), descriptor_, to.c_str()); });
}

Result PosixDirectory::remove(const std::string& name) {
  return result_of([&] { return ::unlinkat(descriptor_, name.c_str(), 0); });
}

Result PosixDirectory::remove_directory(const std::string& name) {
  return result_of([&] { return ::unlinkat(descriptor_, name.c_str(), AT_REMOVEDIR); });
}

Result PosixDirectory::change_mode(const std::string& name, mode_t mode) {
  // By way of a descriptor, because fchmodat follows symlinks; O_PATH works whatever the present mode is.
  if (name.empty()) return result_of([&] { return ::fchmod(descriptor_, mode); });
  Descriptor entry(
      retried([&] { return ::openat(descriptor_, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
  if (!entry.open()) return Result(errno);
  const std::string link = "/proc/self/fd/" + std::to_string(entry.get());
  return result_of([&] { return ::chmod(link.c_str(), mode); });
}

Result PosixDirectory::change_group(const std::string& name, gid_t group) {
  const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
  return result_of([&] { return ::fchownat(descriptor_, name.c_str(), static_cast<uid_t>(-1), group, flags); });
}

Result PosixDirectory::touch(const std::string& name) {
  return result_of([&] { return ::utimensat(descriptor_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW); });
}

Result PosixDirectory::set_time(const std::string& name, std::int64_t seconds) {
  std::array<struct timespec, 2> times = {};
  times[0].tv_sec = times[1].tv_sec = seconds;
  return result_of([&] { return ::utimensat(descriptor_, name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW); });
}

Result PosixDirectory::look(const std::string& name, Attributes& attributes) {
  return statx_of(descriptor_, name, AT_STATX_FORCE_SYNC, attributes);
}

Result PosixDirectory::glance(const std::string& name, Attributes& attributes) {
  return statx_of(descriptor_, name, AT_STATX_SYNC_AS_STAT, attributes);
}

Result PosixDirectory::read_link(const std::string& name, std::string& target) {
  std::array<char, 2048> buffer;
  const ssize_t size = retried([&] { return ::readlinkat(descriptor_, name.c_str(), buffer.data(), buffer.size()); });
  if (size == -1) return Result(errno);
  target.assign(buffer.data(), static_cast<std::size_t>(size));
  return {};
}

Result PosixDirectory::read_file(const std::string& name, std::size_t limit, std::string& content) {
  return read_regular(name, limit, 1, content);
}

Result PosixDirectory::read_linked_file(const std::string& name, std::size_t limit, std::string& content) {
  return read_regular(name, limit, 2, content);
}

Result PosixDirectory::read_regular(const std::string& name, std::size_t limit, std::uint64_t most_links,
                                    std::string& content) {
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  // O_DIRECT keeps an NFSv4 server from handing out a delegation, which would hold up the owner's heartbeat if this
  // host died; where it is refused (tmpfs) there is no such server.
  Descriptor file(retried([&] { return ::openat(descriptor_, name.c_str(), flags | O_DIRECT); }));
  if (!file.open() && errno == EINVAL) {
    file.reset(retried([&] { return ::openat(descriptor_, name.c_str(), flags); }));
  }
  if (!file.open()) return Result(errno);
  struct stat raw = {};
  if (::fstat(file.get(), &raw) == -1) return Result(errno);
  if (!S_ISREG(raw.st_mode) || raw.st_nlink < 1 || raw.st_nlink > most_links) return Result(EINVAL);
  alignas(4096) std::array<char, 4096> buffer;
  const ssize_t size = retried([&] { return ::read(file.get(), buffer.data(), buffer.size()); });
  if (size == -1) return Result(errno);
  content.assign(buffer.data(), std::min(limit, static_cast<std::size_t>(size)));
  return {};
}

Result PosixDirectory::open_listing(const std::string& name, Listing& listing) {
  const char* where = name.empty() ? "." : name.c_str();
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  listing.handle.reset(retried([&] { return ::openat(descriptor_, where, flags); }));
  return listing.handle.open() ? inode_of(listing.handle.get(), "", listing.inode) : Result(errno);
}

Result PosixDirectory::open_and_read(const std::string& name, Listing& listing, std::vector<Entry>& entries) {
  const Result opened = open_listing(name, listing);
  return opened.ok() ? read_entries(listing.handle.get(), entries) : opened;
}

// Where opening asks the server nothing (NFS with nocto), this client may go on taking the name for a directory that is
// gone, and only the reading says so. The kernel finds out what the name means by now when a call with a path gets
// ESTALE, not when one with a handle does; so without the look it could stay like that for as long as attributes last.
Result PosixDirectory::list_anew(const std::string& name, Listing& listing, std::vector<Entry>& entries) {
  const Result result = open_and_read(name, listing, entries);
  if (result.error() != ESTALE || name.empty()) return result;
  Attributes attributes;
  const Result looked = look(name, attributes);
  return looked.ok() ? open_and_read(name, listing, entries) : looked;
}

Result PosixDirectory::list(const std::string& name, std::vector<Entry>& entries) {
  Listing listing;
  return list_anew(name, listing, entries);
}

// A handle has one position, so two listings at once take two handles.
Result PosixDirectory::list_lasting(const std::string& name, std::vector<Entry>& entries) {
  Listing listing = take_kept(name);
  Result result(ENOENT);
  if (listing.handle.open() && ::lseek(listing.handle.get(), 0, SEEK_SET) == 0) {
    result = read_entries(listing.handle.get(), entries);
  }
  if (result.absent()) result = list_anew(name, listing, entries);
  if (!result.ok()) return result;
  const std::lock_guard<std::mutex> guard(mutex_);
  kept_[name].push_back(std::move(listing));
  return result;
}

// Nothing when there is none, or when the name means another directory by now: the old one's cached listing must not
// be taken for it.
PosixDirectory::Listing PosixDirectory::take_kept(const std::string& name) {
  Listing listing;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    auto& kept = kept_[name];
    if (kept.empty()) return listing;
    listing = std::move(kept.back());
    kept.pop_back();
  }
  std::uint64_t inode = listing.inode;
  if (!name.empty()) static_cast<void>(inode_of(descriptor_, name, inode));
  return inode == listing.inode ? std::move(listing) : Listing();
}

}  // namespace rwlease::fs
