#include "protocol/failure.hpp"

#include <cerrno>

namespace rwlease::protocol {
namespace {

const char* remedy(int error) {
  switch (error) {
    case EDQUOT:
      return "free some of the quota: a marker needs one inode";
    case ENOSPC:
      return "free some space or inodes there";
    case EACCES:
    case EPERM:
      return "its participants must be able to read and change the lock directory";
    case EROFS:
      return "mount it writable: every lease needs a marker";
    case ENAMETOOLONG:
      return "use a shorter path";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files";
    default:
      return nullptr;
  }
}

}  // namespace

void fail(const std::string& operation, const std::string& path, fs::Result result) {
  if (result.absent()) throw DirectoryGone(operation, path, result.text(), result.code());
  const char* hint = remedy(result.error());
  throw Error(operation, path, hint == nullptr ? result.text() : result.text() + " (" + hint + ")", result.code());
}

}  // namespace rwlease::protocol
