#include "probe/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rwlease/error.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace rwlease::probe {
namespace {

template <class Call>
int error_of(Call call) {
  int outcome = 0;
  do {
    outcome = call();
  } while (outcome == -1 && errno == EINTR);
  return outcome == -1 ? errno : 0;
}

[[noreturn]] void fail(const char* operation, const std::string& path, int error) {
  const std::error_code code(error, std::generic_category());
  throw Error(operation, path, code.message(), code);
}

int open_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor == -1) fail("opening", path, errno);
  return descriptor;
}

std::int64_t nanoseconds(const statx_timestamp& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

int stamp_of(int directory, const std::string& name, int sync, Stamp& stamp) {
  struct statx raw = {};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT | sync;
  const int error = error_of([&] { return ::statx(directory, name.c_str(), flags, STATX_BASIC_STATS, &raw); });
  if (error == 0) stamp = {raw.stx_ino, nanoseconds(raw.stx_mtime), nanoseconds(raw.stx_ctime)};
  return error;
}

int read_all(DIR* stream, std::vector<std::string>& entries) {
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream);
    if (entry == nullptr) return errno;
    const std::string name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") entries.push_back(name);
  }
}

}  // namespace

bool is_absent(int error) noexcept { return error == ENOENT || error == ESTALE; }
bool is_not_empty(int error) noexcept { return error == ENOTEMPTY || error == EEXIST; }

Folder::Folder(std::string path, MarkerKind kind)
    : path_(std::move(path)), kind_(kind), descriptor_(open_directory(path_)) {}

Folder::~Folder() { ::close(descriptor_); }

int Folder::make_marker(const std::string& name, const std::string& text) const {
  if (kind_ == MarkerKind::file) return make_file(name, text);
  return error_of([&] { return ::symlinkat(text.c_str(), descriptor_, name.c_str()); });
}

int Folder::make_file(const std::string& name, const std::string& text) const {
  constexpr int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_WRONLY;
  const int file = ::openat(descriptor_, name.c_str(), flags, 0600);
  if (file == -1) return errno;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = written ? error_of([&] { return ::fsync(file); }) : EIO;
  return ::close(file) == -1 && error == 0 ? errno : error;
}

int Folder::read_marker(const std::string& name, std::string& text) const {
  std::array<char, 2048> buffer;
  if (kind_ == MarkerKind::symlink) {
    const ssize_t size = ::readlinkat(descriptor_, name.c_str(), buffer.data(), buffer.size());
    if (size == -1) return errno;
    text.assign(buffer.data(), static_cast<std::size_t>(size));
    return 0;
  }
  const int file = ::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file == -1) return errno;
  const ssize_t size = ::read(file, buffer.data(), buffer.size());
  const int error = size == -1 ? errno : 0;
  ::close(file);
  if (error == 0) text.assign(buffer.data(), static_cast<std::size_t>(size));
  return error;
}

int Folder::make_directory(const std::string& name) const {
  return error_of([&] { return ::mkdirat(descriptor_, name.c_str(), 0700); });
}

int Folder::rename(const std::string& from, const std::string& to) const {
  return error_of([&] { return ::renameat(descriptor_, from.c_str(), descriptor_, to.c_str()); });
}

int Folder::remove(const std::string& name) const {
  return error_of([&] { return ::unlinkat(descriptor_, name.c_str(), 0); });
}

int Folder::remove_directory(const std::string& name) const {
  return error_of([&] { return ::unlinkat(descriptor_, name.c_str(), AT_REMOVEDIR); });
}

int Folder::remove_directory_surely(const std::string& name) const {
  const int error = remove_directory(name);
  if (!is_absent(error)) return error;
  const bool was_absent = make_directory(name) == 0;
  const int again = remove_directory(name);
  return was_absent && again == 0 ? ENOENT : again;
}

int Folder::touch(const std::string& name) const {
  return error_of([&] { return ::utimensat(descriptor_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW); });
}

bool Folder::touch_until_moved(const std::string& name) const {
  constexpr std::chrono::seconds patience{3};
  Stamp before;
  Stamp after;
  require(look(name, before), "looking at", name);
  const auto limit = std::chrono::steady_clock::now() + patience;
  do {
    require(touch(name), "setting the time of", name);
    require(look(name, after), "looking at", name);
  } while (after == before && std::chrono::steady_clock::now() < limit);
  return after != before;
}

int Folder::look(const std::string& name, Stamp& stamp) const {
  return stamp_of(descriptor_, name, AT_STATX_FORCE_SYNC, stamp);
}

int Folder::glance(const std::string& name, Stamp& stamp) const {
  return stamp_of(descriptor_, name, AT_STATX_SYNC_AS_STAT, stamp);
}

int Folder::list_fresh(const std::string& unique, std::vector<std::string>& entries) const {
  const std::string change = ".o." + unique;
  if (const int error = make_marker(change, "x")) return error;
  if (const int error = remove(change)) return error;
  return list(entries);
}

int Folder::list(std::vector<std::string>& entries) const {
  entries.clear();
  const int descriptor = ::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor == -1) return errno;
  DIR* const stream = ::fdopendir(descriptor);
  if (stream == nullptr) {
    const int error = errno;
    ::close(descriptor);
    return error;
  }
  const int error = read_all(stream, entries);
  ::closedir(stream);
  return error;
}

void Folder::require(int error, const char* operation, const std::string& name) const {
  if (error != 0) fail(operation, path_ + "/" + name, error);
}

bool remove_tree(const std::string& path) noexcept {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  return !error && !std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

}  // namespace rwlease::probe
