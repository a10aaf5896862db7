// Preloaded into rwlease, it lets the file system hang: from when the file that RWLEASE_TEST_HANG names exists, every
// look, heartbeat and removal blocks for ever, as on a hard mount whose server is away. The first that does makes a
// file with that name and ".reached".
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

void hang_if_asked() {
  const char* switch_file = std::getenv("RWLEASE_TEST_HANG");
  if (switch_file == nullptr) return;
  if (::access(switch_file, F_OK) != 0) return;
  ::close(::open((std::string(switch_file) + ".reached").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  while (::access(switch_file, F_OK) == 0) ::pause();
}

}  // namespace

#define RWLEASE_TEST_SHOWN extern "C" __attribute__((visibility("default")))

RWLEASE_TEST_SHOWN int unlinkat(int fd, const char* name, int flag) noexcept {
  hang_if_asked();
  return static_cast<int>(::syscall(SYS_unlinkat, fd, name, flag));
}

RWLEASE_TEST_SHOWN int statx(int fd, const char* path, int flags, unsigned mask, struct statx* found) noexcept {
  hang_if_asked();
  return static_cast<int>(::syscall(SYS_statx, fd, path, flags, mask, found));
}

RWLEASE_TEST_SHOWN int utimensat(int fd, const char* path, const timespec* times, int flags) noexcept {
  hang_if_asked();
  return static_cast<int>(::syscall(SYS_utimensat, fd, path, times, flags));
}
