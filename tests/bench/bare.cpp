#include "bench/bare.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace rwlease::bench {
namespace {

int checked(long outcome, const char* call) {
  if (outcome == -1) throw std::system_error(errno, std::generic_category(), call);
  return static_cast<int>(outcome);
}

int open_directory(int directory, const std::string& name) {
  return checked(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), "openat");
}

// To the end, as a listing must be read; what it shows is not looked at.
void list(int directory) {
  alignas(8) std::array<char, 32768> buffer;
  checked(::lseek(directory, 0, SEEK_SET), "lseek");
  while (checked(::syscall(SYS_getdents64, directory, buffer.data(), buffer.size()), "getdents64") > 0) {
  }
}

void look(int directory, const std::string& name) {
  struct statx attributes = {};
  checked(::statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &attributes), "statx");
}

}  // namespace

Bare::Bare(const std::string& lock_directory, std::string record) : record_(std::move(record)) {
  checked(::mkdir(lock_directory.c_str(), 0700), "mkdir");
  lock_ = open_directory(AT_FDCWD, lock_directory);
  lock_listing_ = open_directory(lock_, ".");
  checked(::mkdirat(lock_, "readers", 0700), "mkdirat");
  readers_listing_ = open_directory(lock_, "readers");
  checked(::symlinkat("fence", lock_, fence_.c_str()), "symlinkat");
}

Bare::~Bare() {
  for (const int descriptor : {lock_, lock_listing_, readers_listing_}) ::close(descriptor);
}

// As long as the library's: each is a name that the file system has not seen before.
void Bare::next_id() {
  id_ = std::to_string(++number_);
  id_.insert(0, 50 - id_.size(), '0');
}

void Bare::read() {
  next_id();
  const std::string hidden = "." + id_;
  const std::string published = "readers/" + id_;
  checked(::symlinkat(record_.c_str(), lock_, hidden.c_str()), "symlinkat");
  checked(::renameat(lock_, hidden.c_str(), lock_, published.c_str()), "renameat");
  list(lock_listing_);
  checked(::unlinkat(lock_, published.c_str(), 0), "unlinkat");
}

void Bare::write() {
  claim();
  draw_fence();
  give_back();
}

void Bare::write_without_fence() {
  claim();
  give_back();
}

void Bare::claim() {
  next_id();
  const std::string hidden = "readers/.w." + id_;
  const std::string marker = hidden + "/" + id_;
  checked(::mkdirat(lock_, hidden.c_str(), 0700), "mkdirat");
  look(lock_, hidden);
  checked(::symlinkat(record_.c_str(), lock_, marker.c_str()), "symlinkat");
  checked(::renameat(lock_, hidden.c_str(), lock_, "writer"), "renameat");
  look(lock_, "readers");
  list(readers_listing_);
}

void Bare::draw_fence() {
  look(lock_, "readers");
  const std::string fence = "readers/.f." + std::to_string(number_);
  checked(::renameat(lock_, fence_.c_str(), lock_, fence.c_str()), "renameat");
  fence_ = fence;
}

void Bare::give_back() {
  const std::string marker = "writer/" + id_;
  checked(::unlinkat(lock_, marker.c_str(), 0), "unlinkat");
  checked(::unlinkat(lock_, "writer", AT_REMOVEDIR), "unlinkat");
}

}  // namespace rwlease::bench
