#include "holder_id.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <string_view>

namespace rwlease::cli {
namespace {

constexpr std::size_t longest_host = 64;

bool may_stand(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

std::string host() {
  struct utsname names {};
  if (::uname(&names) != 0 || names.nodename[0] == '\0') return "unnamed";
  std::string clean;
  for (const char c : std::string_view(names.nodename).substr(0, longest_host)) clean += may_stand(c) ? c : '-';
  return clean;
}

}  // namespace

std::string holder_id() { return host() + '.' + std::to_string(::getpid()); }

}  // namespace rwlease::cli
