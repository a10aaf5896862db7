#include "probe/own_directory.hpp"

#include "probe/folder.hpp"

#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace rwlease::probe {

namespace {

const char* way_out(int error) {
  switch (error) {
    case ENOENT:
      return "; it must be there";
    case ENOTDIR:
      return "; name the directory that the locks are to be in";
    case EROFS:
      return "; every lease needs an entry there, so it must be mounted to be written";
    case EACCES:
    case EPERM:
      return "; every lease needs an entry there, so this user must be able to write in it";
    case ENOSPC:
    case EDQUOT:
      return "; free some space or some entries there";
    default:
      return "";
  }
}

}  // namespace

std::string make_unique_directory(const std::string& directory, const std::string& prefix, std::string& made) {
  std::string name = directory + "/" + prefix + ".XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    const int error = errno;
    return "making a directory in " + directory + ": " + std::generic_category().message(error) + way_out(error);
  }
  made = name;
  return {};
}

bool remove_patiently(const std::string& path) noexcept {
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    if (remove_tree(path)) return true;
    const timespec pause{0, 50'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

OwnDirectory::OwnDirectory(const std::string& directory, const std::string& prefix) {
  const std::string trouble = make_unique_directory(directory, prefix, path_);
  if (!trouble.empty()) throw std::runtime_error(trouble);
}

}  // namespace rwlease::probe
