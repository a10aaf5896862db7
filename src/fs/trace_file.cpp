#include "fs/trace_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rwlease::fs {

TraceFile::TraceFile(const std::string& directory, const std::string& name) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  file_.reset(::open((directory + "/" + name).c_str(), flags, 0600));
  if (!file_.open()) trouble_ = std::generic_category().message(errno);
}

void TraceFile::append(const std::string& line) const noexcept {
  static_cast<void>(!::write(file_.get(), line.data(), line.size()));
}

std::string trace_directory() {
  const char* const directory = ::secure_getenv("RWLEASE_TRACE");
  return directory == nullptr ? "" : directory;
}

}  // namespace rwlease::fs
