#include <rwlease/cancel.hpp>
#include <rwlease/error.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace rwlease {

Cancel::Cancel() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ == -1) {
    const std::error_code code(errno, std::generic_category());
    throw Error("making an event descriptor", "", code.message(), code);
  }
}

Cancel::~Cancel() { ::close(descriptor_); }

void Cancel::cancel() noexcept {
  const int saved = errno;  // a signal handler must not change it
  cancelled_.store(true);
  const std::uint64_t one = 1;
  // Full means readable already, which is all that is wanted.
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
  errno = saved;
}

void Cancel::reset() noexcept {
  cancelled_.store(false);
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = ::read(descriptor_, &count, sizeof count);
}

}  // namespace rwlease
