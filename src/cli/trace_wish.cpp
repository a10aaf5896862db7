#include "trace_wish.hpp"

#include "output.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace rwlease::cli {
namespace {

// 0, or an errno.
int check_directory(const char* path) {
  struct stat found = {};
  if (::stat(path, &found) != 0) return errno;
  if (!S_ISDIR(found.st_mode)) return ENOTDIR;
  return ::access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace

void warn_of_missing_trace() {
  const char* const directory = ::secure_getenv("RWLEASE_TRACE");
  if (directory == nullptr || *directory == '\0') return;
  const int error = check_directory(directory);
  if (error == 0) return;
  say("no trace is written: RWLEASE_TRACE names " + std::string(directory) + ": " +
      std::generic_category().message(error) + "; it must be a directory that can be written");
}

}  // namespace rwlease::cli
