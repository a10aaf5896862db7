#include "processes.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace rwlease::cli {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

// "4711 (name) S 4700 ...": the name may hold anything, so the last ')' ends it. 0 when it cannot be read.
pid_t parent_of(const char* pid) {
  std::ifstream file(std::string("/proc/") + pid + "/stat");
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || line.size() < name_end + 5) return 0;
  return static_cast<pid_t>(std::strtol(line.c_str() + name_end + 4, nullptr, 10));
}

// The kernel's word: /proc may be that of another pid namespace.
bool is_child(pid_t pid) noexcept {
  siginfo_t ignored{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

bool adopt_orphans() noexcept { return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; }

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, CloseDirectory> proc(::opendir("/proc"));
  if (!proc) return found;
  while (const dirent* entry = ::readdir(proc.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    if (parent_of(entry->d_name) != ::getpid()) continue;
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (is_child(pid)) found.push_back(pid);
  }
  return found;
}

void kill_children() {
  for (const pid_t child : children()) ::kill(child, SIGKILL);
}

bool reap_children(pid_t spared) {
  bool none_left = true;
  for (const pid_t child : children()) {
    if (child != spared && ::waitpid(child, nullptr, WNOHANG) == 0) none_left = false;
  }
  return none_left;
}

}  // namespace rwlease::cli
