#include "support/memory_tree.hpp"

#include <cerrno>

namespace rwlease::test {
namespace {

constexpr mode_t may_search = 1;
constexpr mode_t may_write = 2;
constexpr mode_t may_read = 4;
constexpr mode_t setgid = 02000;
constexpr std::size_t longest_name = 255;
constexpr std::size_t longest_target = 4095;

// What stands in the target's place of a rename must be of the same kind, and empty.
fs::Result fits(const Node& source, const Node& target) {
  if (source.is_directory() && !target.is_directory()) return fs::Result(ENOTDIR);
  if (!source.is_directory() && target.is_directory()) return fs::Result(EISDIR);
  if (target.is_directory() && !target.entries.empty()) return fs::Result(ENOTEMPTY);
  return {};
}

}  // namespace

MemoryTree::MemoryTree(const ManualClock& clock) : clock_(clock), root_(std::make_shared<Node>()) {
  root_->inode = ++last_inode_;
  root_->mode = 0777;
  changed(*root_);
}

Nanoseconds MemoryTree::now() const { return clock_.real() / granularity_ * granularity_; }

void MemoryTree::changed(Node& node) const { node.mtime = node.ctime = now(); }

bool MemoryTree::may(const Caller& caller, const Node& node, mode_t wanted) {
  if (caller.uid == 0) return true;
  const bool in_group = node.gid == caller.gid || caller.groups.count(node.gid) != 0;
  const unsigned shift = node.uid == caller.uid ? 6U : in_group ? 3U : 0U;
  return ((node.mode >> shift) & wanted) == wanted;
}

fs::Attributes MemoryTree::attributes(const Node& node) {
  fs::Attributes attributes;
  attributes.type = node.type;
  attributes.stamp = {node.inode, node.mtime.count(), node.ctime.count()};
  attributes.mode = node.mode;
  attributes.uid = node.uid;
  attributes.gid = node.gid;
  attributes.links = node.links;
  attributes.size = node.content.size();
  attributes.device = 1;
  return attributes;
}

fs::Result MemoryTree::locate(const Caller& caller, const NodePtr& base, const std::string& path, Place& place) const {
  place.parent = base;
  std::size_t at = 0;
  for (;;) {
    if (!place.parent->is_directory()) return fs::Result(ENOTDIR);
    if (!may(caller, *place.parent, may_search)) return fs::Result(EACCES);
    const std::size_t slash = path.find('/', at);
    place.name = path.substr(at, slash == std::string::npos ? slash : slash - at);
    if (place.name.size() > longest_name) return fs::Result(ENAMETOOLONG);
    if (slash == std::string::npos) return {};
    const auto next = place.parent->entries.find(place.name);
    if (next == place.parent->entries.end()) return fs::Result(ENOENT);
    place.parent = next->second;
    at = slash + 1;
  }
}

fs::Result MemoryTree::locate_for_change(const Caller& caller, const NodePtr& base, const std::string& path,
                                         Place& place) const {
  const fs::Result located = locate(caller, base, path, place);
  if (!located.ok()) return located;
  if (place.parent->links == 0) return fs::Result(ENOENT);
  return may(caller, *place.parent, may_write) ? fs::Result() : fs::Result(EACCES);
}

fs::Result MemoryTree::find(const Caller& caller, const NodePtr& base, const std::string& name, NodePtr& found) const {
  found = base;
  if (name.empty()) return {};
  Place place;
  const fs::Result located = locate(caller, base, name, place);
  if (!located.ok()) return located;
  const auto entry = place.parent->entries.find(place.name);
  if (entry == place.parent->entries.end()) return fs::Result(ENOENT);
  found = entry->second;
  return {};
}

fs::Result MemoryTree::find_own(const Caller& caller, const NodePtr& base, const std::string& name,
                                NodePtr& found) const {
  const fs::Result result = find(caller, base, name, found);
  if (!result.ok()) return result;
  return caller.uid == 0 || caller.uid == found->uid ? fs::Result() : fs::Result(EPERM);
}

fs::Result MemoryTree::create(const Caller& caller, const NodePtr& base, const std::string& name, Node wanted) {
  Place place;
  const fs::Result located = locate_for_change(caller, base, name, place);
  if (!located.ok()) return located;
  if (place.parent->entries.count(place.name) != 0) return fs::Result(EEXIST);
  if (wanted.type == fs::Type::symlink && wanted.content.size() > longest_target) return fs::Result(ENAMETOOLONG);
  wanted.inode = ++last_inode_;
  wanted.uid = caller.uid;
  const bool inherits = (place.parent->mode & setgid) != 0;
  wanted.gid = inherits ? place.parent->gid : caller.gid;
  changed(wanted);
  place.parent->entries[place.name] = std::make_shared<Node>(std::move(wanted));
  changed(*place.parent);
  return {};
}

fs::Result MemoryTree::rename(const Caller& caller, const NodePtr& base, const std::string& from,
                              const std::string& to) {
  Place source;
  Place target;
  for (const auto& [path, place] : {std::pair(&from, &source), std::pair(&to, &target)}) {
    const fs::Result located = locate_for_change(caller, base, *path, *place);
    if (!located.ok()) return located;
  }
  const auto moved = source.parent->entries.find(source.name);
  if (moved == source.parent->entries.end()) return fs::Result(ENOENT);
  const NodePtr node = moved->second;
  const auto replaced = target.parent->entries.find(target.name);
  if (replaced != target.parent->entries.end()) {
    if (replaced->second == node) return {};
    const fs::Result result = fits(*node, *replaced->second);
    if (!result.ok()) return result;
    --replaced->second->links;
  }
  source.parent->entries.erase(source.name);
  target.parent->entries[target.name] = node;
  node->ctime = now();
  changed(*source.parent);
  changed(*target.parent);
  return {};
}

fs::Result MemoryTree::link(const Caller& caller, const NodePtr& base, const std::string& from, const std::string& to) {
  Place source;
  Place target;
  for (const auto& [path, place] : {std::pair(&from, &source), std::pair(&to, &target)}) {
    const fs::Result located = locate_for_change(caller, base, *path, *place);
    if (!located.ok()) return located;
  }
  const auto linked = source.parent->entries.find(source.name);
  if (linked == source.parent->entries.end()) return fs::Result(ENOENT);
  if (linked->second->is_directory()) return fs::Result(EPERM);
  if (target.parent->entries.count(target.name) != 0) return fs::Result(EEXIST);
  const NodePtr node = linked->second;
  target.parent->entries[target.name] = node;
  ++node->links;
  node->ctime = now();
  changed(*target.parent);
  return {};
}

fs::Result MemoryTree::remove(const Caller& caller, const NodePtr& base, const std::string& name, bool directory) {
  Place place;
  const fs::Result located = locate_for_change(caller, base, name, place);
  if (!located.ok()) return located;
  const auto entry = place.parent->entries.find(place.name);
  if (entry == place.parent->entries.end()) return fs::Result(ENOENT);
  if (directory && !entry->second->is_directory()) return fs::Result(ENOTDIR);
  if (!directory && entry->second->is_directory()) return fs::Result(EISDIR);
  if (!entry->second->entries.empty()) return fs::Result(ENOTEMPTY);
  --entry->second->links;
  entry->second->ctime = now();
  place.parent->entries.erase(entry);
  changed(*place.parent);
  return {};
}

fs::Result MemoryTree::change_mode(const Caller& caller, const NodePtr& base, const std::string& name, mode_t mode) {
  NodePtr node;
  const fs::Result found = find_own(caller, base, name, node);
  if (!found.ok()) return found;
  node->mode = mode;
  node->ctime = now();
  return {};
}

fs::Result MemoryTree::change_group(const Caller& caller, const NodePtr& base, const std::string& name, gid_t group) {
  NodePtr node;
  const fs::Result found = find_own(caller, base, name, node);
  if (!found.ok()) return found;
  if (caller.uid != 0 && group != caller.gid && caller.groups.count(group) == 0) return fs::Result(EPERM);
  node->gid = group;
  node->ctime = now();
  return {};
}

fs::Result MemoryTree::touch(const Caller& caller, const NodePtr& base, const std::string& name) {
  NodePtr node;
  const fs::Result found = find(caller, base, name, node);
  if (!found.ok()) return found;
  if (caller.uid != node->uid && !may(caller, *node, may_write)) return fs::Result(EACCES);
  changed(*node);
  return {};
}

fs::Result MemoryTree::set_time(const Caller& caller, const NodePtr& base, const std::string& name,
                                std::int64_t seconds) {
  NodePtr node;
  const fs::Result found = find_own(caller, base, name, node);
  if (!found.ok()) return found;
  node->mtime = std::chrono::seconds(seconds);
  node->ctime = now();
  return {};
}

fs::Result MemoryTree::list(const Caller& caller, const NodePtr& base, const std::string& name,
                            std::vector<fs::Entry>& entries) const {
  entries.clear();
  NodePtr node;
  const fs::Result found = find(caller, base, name, node);
  if (!found.ok()) return found;
  if (!node->is_directory()) return fs::Result(ENOTDIR);
  if (!may(caller, *node, may_read)) return fs::Result(EACCES);
  if (node->links == 0) return fs::Result(ENOENT);
  for (const auto& [entry, child] : node->entries) entries.push_back(fs::Entry{entry});
  return {};
}

}  // namespace rwlease::test
