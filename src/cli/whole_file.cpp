#include "whole_file.hpp"

#include "descriptor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

namespace rwlease::cli {
namespace {

// On this thread, as long as it exists.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

int write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  return 0;
}

int write_in_place(const std::string& path, const std::string& text) {
  const Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  return descriptor.is_open() ? write_all(descriptor.get(), text) : errno;
}

int write_new(const std::string& path, const std::string& text) {
  constexpr mode_t mode = 0666;
  const Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!descriptor.is_open()) return errno;
  const int error = write_all(descriptor.get(), text);
  if (error != 0) return error;
  return ::fsync(descriptor.get()) == 0 ? 0 : errno;
}

// Of one that root replaced, all programs would see a plain file from then on.
bool is_replaceable(const std::string& path) {
  for (const std::string_view open_already : {"/dev/fd/", "/dev/std", "/proc/"}) {
    if (path.compare(0, open_already.size(), open_already) == 0) return false;
  }
  struct stat found = {};
  return ::stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode);
}

}  // namespace

int write_whole_file(const std::string& path, const std::string& text) {
  if (!is_replaceable(path)) return write_in_place(path, text);
  const SignalsHeld held;
  const std::string fresh = path + ".new." + std::to_string(::getpid());
  int error = write_new(fresh, text);
  if (error == 0 && ::rename(fresh.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(fresh.c_str());
  return error;
}

}  // namespace rwlease::cli
