// A file system in memory: entries, owners, modes and times, with the answers that POSIX gives.
#pragma once

#include "fs/attributes.hpp"
#include "fs/result.hpp"
#include "support/manual_clock.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rwlease::test {

struct Node {
  fs::Type type = fs::Type::directory;
  std::uint64_t inode = 0;
  mode_t mode = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  Nanoseconds mtime{};
  Nanoseconds ctime{};
  std::string content;      // a symlink's target too
  std::uint64_t links = 1;  // 0: removed, though somebody may still have it open
  std::map<std::string, std::shared_ptr<Node>> entries;

  bool is_directory() const { return type == fs::Type::directory; }
};

using NodePtr = std::shared_ptr<Node>;

// Who asks.
struct Caller {
  uid_t uid = 1000;
  gid_t gid = 100;
  std::set<gid_t> groups;  // further ones
};

// Shared by all clients. Names are relative to `base`; no symlink is ever followed, in the middle of a path neither:
// the protocol has none there. One thread.
class MemoryTree {
 public:
  explicit MemoryTree(const ManualClock& clock);

  const NodePtr& root() const { return root_; }

  // How finely entries' times are kept.
  void set_granularity(Nanoseconds granularity) { granularity_ = granularity; }

  fs::Result find(const Caller& caller, const NodePtr& base, const std::string& name, NodePtr& found) const;
  fs::Result create(const Caller& caller, const NodePtr& base, const std::string& name, Node wanted);
  fs::Result rename(const Caller& caller, const NodePtr& base, const std::string& from, const std::string& to);
  fs::Result link(const Caller& caller, const NodePtr& base, const std::string& from, const std::string& to);
  fs::Result remove(const Caller& caller, const NodePtr& base, const std::string& name, bool directory);
  fs::Result change_mode(const Caller& caller, const NodePtr& base, const std::string& name, mode_t mode);
  fs::Result change_group(const Caller& caller, const NodePtr& base, const std::string& name, gid_t group);
  fs::Result touch(const Caller& caller, const NodePtr& base, const std::string& name);
  fs::Result set_time(const Caller& caller, const NodePtr& base, const std::string& name, std::int64_t seconds);
  fs::Result list(const Caller& caller, const NodePtr& base, const std::string& name,
                  std::vector<fs::Entry>& entries) const;

  static bool may(const Caller& caller, const Node& node, mode_t wanted);  // of the bits rwx
  static fs::Attributes attributes(const Node& node);

 private:
  struct Place {
    NodePtr parent;
    std::string name;
  };

  fs::Result locate(const Caller& caller, const NodePtr& base, const std::string& path, Place& place) const;
  fs::Result locate_for_change(const Caller& caller, const NodePtr& base, const std::string& path, Place& place) const;
  fs::Result find_own(const Caller& caller, const NodePtr& base, const std::string& name, NodePtr& found) const;
  Nanoseconds now() const;
  void changed(Node& node) const;

  const ManualClock& clock_;
  Nanoseconds granularity_{1};
  std::uint64_t last_inode_ = 0;
  NodePtr root_;
};

}  // namespace rwlease::test
