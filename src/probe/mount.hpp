// Which mount a path is on, as the kernel tells it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease::probe {

struct Mount {
  std::string point;
  std::string type;    // "nfs4", "ext4"
  std::string source;  // "server:/export", "/dev/sda1"
  std::vector<std::string> options;

  bool has(std::string_view option) const;
  std::optional<std::string> value(std::string_view option) const;  // of "option=value"
  bool is_nfs() const { return type == "nfs" || type == "nfs4"; }
};

// The one with the longest mount point above the absolute path, the last of them where several are stacked. `mountinfo`
// is the text of /proc/self/mountinfo.
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view path);

// Who else can see what is on a file system of this type.
enum class Reach { this_host, other_hosts, unknown };
Reach reach_of(std::string_view type) noexcept;

// Of this process; empty where it cannot be read.
std::string read_proc(const char* name);

}  // namespace rwlease::probe
