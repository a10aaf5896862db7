#include "file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace demo {
namespace {

[[noreturn]] void throw_errno(const char* operation, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), std::string(operation) + " " + path);
}

off_t as_offset(std::uint64_t offset) { return static_cast<off_t>(offset); }

}  // namespace

std::optional<File> File::open_if_exists(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  if (descriptor < 0) throw_errno("opening", path.string());
  return File(descriptor, path.string());
}

File File::create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw_errno("creating", path.string());
  return {descriptor, path.string()};
}

File::File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void File::fail(const char* operation) const { throw_errno(operation, path_); }

std::size_t File::read(std::byte* bytes, std::size_t size, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(descriptor_, bytes + done, size - done, as_offset(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("reading");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void File::write(const std::byte* bytes, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pwrite(descriptor_, bytes + done, size - done, as_offset(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("writing");
    done += static_cast<std::size_t>(count);
  }
}

void File::truncate(std::uint64_t size) {
  if (::ftruncate(descriptor_, as_offset(size)) != 0) fail("setting the size of");
}

void File::sync() {
  if (::fsync(descriptor_) != 0) fail("syncing");
}

std::uint64_t File::size() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) fail("looking at");
  return static_cast<std::uint64_t>(found.st_size);
}

std::int64_t File::modified_ns() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) fail("looking at");
  return std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
}

}  // namespace demo
