#include "way_out.hpp"

#include <cerrno>

namespace rwlease::cli {

namespace {

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

// The library's causes speak of group sharing; here it has a name.
std::string of_directory(const std::string& cause, bool takes_group) {
  if (has(cause, "group sharing") || has(cause, "closed to this user")) {
    return takes_group ? "; --group is for locks that a group shares" : "";
  }
  return has(cause, "chmod") ? "" : "; see who made it (ls -ld), and remove it or use another name";
}

std::string of_access(const Error& error, const std::string& command, bool takes_group) {
  if (has(error.operation(), "making lock directory")) return "; choose a name in a directory that can be written";
  if (command == "lockfile") return {};  // which asks for a directory that can be written by itself
  return takes_group ? "; the lock is its owner's alone unless it was made with --group, which all its users say" : "";
}

}  // namespace

std::string way_out(const Error& error, const std::string& command) {
  const bool takes_group = command == "run" || command == "break";
  if (dynamic_cast<const UnsafeDirectory*>(&error) != nullptr) return of_directory(error.cause(), takes_group);
  const int code = error.code().value();
  if (code == EACCES || code == EPERM) return of_access(error, command, takes_group);
  if (has(error.cause(), "(")) return {};
  switch (code) {
    case EROFS:
      return "; choose a name in a directory that can be written";
    case ENOSPC:
    case EDQUOT:
      return "; free some space or some entries there";
    case ENAMETOOLONG:
      return "; choose a shorter name";
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
      return "; the file server does not answer as it should: try 'rwlease probe' on the directory";
    default:
      return {};
  }
}

}  // namespace rwlease::cli
