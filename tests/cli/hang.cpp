// Preloaded into rwlease, it lets the file system hang: from when the file that RWLEASE_TEST_HANG names exists, the
// heartbeat and every removal block for ever, as on a hard mount whose server is away.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void hang_if_asked() {
  const char* switch_file = std::getenv("RWLEASE_TEST_HANG");
  if (switch_file == nullptr) return;
  while (::access(switch_file, F_OK) == 0) ::pause();
}

}  // namespace

#define RWLEASE_TEST_SHOWN extern "C" __attribute__((visibility("default")))

RWLEASE_TEST_SHOWN int unlinkat(int fd, const char* name, int flag) noexcept {
  hang_if_asked();
  return static_cast<int>(::syscall(SYS_unlinkat, fd, name, flag));
}

RWLEASE_TEST_SHOWN int utimensat(int fd, const char* path, const timespec* times, int flags) noexcept {
  hang_if_asked();
  return static_cast<int>(::syscall(SYS_utimensat, fd, path, times, flags));
}
