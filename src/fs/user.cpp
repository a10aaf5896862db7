#include "fs/user.hpp"

#include <pwd.h>

#include <cerrno>
#include <vector>

namespace rwlease::fs {

std::string user_name(uid_t uid) {
  constexpr std::size_t longest = 1 << 20;
  struct passwd entry = {};
  struct passwd* found = nullptr;
  for (std::size_t size = 4096; size <= longest; size *= 4) {
    std::vector<char> buffer(size);
    const int error = ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
    if (error == 0 && found != nullptr) return found->pw_name;
    if (error != ERANGE) break;
  }
  return std::to_string(uid);
}

}  // namespace rwlease::fs
