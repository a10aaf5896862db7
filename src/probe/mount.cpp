#include "probe/mount.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace rwlease::probe {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// Blanks and backslashes are written as \040 and the like.
std::string unescaped(const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool escape = word[i] == '\\' && i + 3 < word.size() && is_octal(word[i + 1]) && is_octal(word[i + 2]) &&
                        is_octal(word[i + 3]);
    if (escape) {
      text += static_cast<char>((word[i + 1] - '0') * 64 + (word[i + 2] - '0') * 8 + (word[i + 3] - '0'));
      i += 3;
    } else {
      text += word[i];
    }
  }
  return text;
}

void add_options(std::vector<std::string>& options, const std::string& words) {
  std::istringstream stream(words);
  for (std::string option; std::getline(stream, option, ',');) {
    if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
  }
}

// "21 26 0:20 / /proc rw,relatime shared:5 - proc proc rw"
std::optional<Mount> parse_line(const std::string& line) {
  std::istringstream stream(line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 6 || words.end() - dash < 3) return std::nullopt;
  Mount mount;
  mount.point = unescaped(words[4]);
  mount.type = dash[1];
  mount.source = unescaped(dash[2]);
  add_options(mount.options, words[5]);
  if (words.end() - dash > 3) add_options(mount.options, dash[3]);
  return mount;
}

bool is_below(std::string_view path, std::string_view point) {
  if (point == "/") return true;
  return path.substr(0, point.size()) == point && (path.size() == point.size() || path[point.size()] == '/');
}

template <class Names>
bool is_among(const Names& names, std::string_view type) {
  return std::find(names.begin(), names.end(), type) != names.end();
}

}  // namespace

bool Mount::has(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::optional<std::string> Mount::value(std::string_view option) const {
  for (const std::string& each : options) {
    if (each.size() > option.size() && each[option.size()] == '=' && each.compare(0, option.size(), option) == 0) {
      return each.substr(option.size() + 1);
    }
  }
  return std::nullopt;
}

std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view path) {
  std::optional<Mount> best;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    const auto mount = parse_line(line);
    if (!mount || !is_below(path, mount->point)) continue;
    if (!best || mount->point.size() >= best->point.size()) best = mount;
  }
  return best;
}

Reach reach_of(std::string_view type) noexcept {
  static constexpr std::array<std::string_view, 14> shared{"nfs",   "nfs4", "lustre",   "gpfs",    "beegfs",
                                                           "ceph",  "cifs", "smb3",     "9p",      "afs",
                                                           "ocfs2", "gfs2", "orangefs", "virtiofs"};
  static constexpr std::array<std::string_view, 10> local{"ext2",  "ext3", "ext4",    "xfs",   "btrfs",
                                                          "tmpfs", "zfs",  "overlay", "ramfs", "f2fs"};
  if (is_among(shared, type)) return Reach::other_hosts;
  return is_among(local, type) ? Reach::this_host : Reach::unknown;
}

std::string read_proc(const char* name) {
  std::ifstream file(std::string("/proc/self/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace rwlease::probe
