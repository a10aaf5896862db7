#include "sim/server.hpp"

#include "protocol/names.hpp"
#include "sim/random.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::sim {
namespace {

constexpr std::size_t absent = static_cast<std::size_t>(-1);

// Listings go by this, as on ext4, where each file system hashes in its own way: where an entry comes has nothing to do
// with when it was made.
std::uint64_t cookie_of(std::string_view name, std::uint64_t hash) {
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return Random(hash).next() | 1U;
}

}  // namespace

const char* to_string(Operation operation) {
  switch (operation) {
    case Operation::getattr:
      return "getattr";
    case Operation::lookup:
      return "lookup";
    case Operation::symlink:
      return "symlink";
    case Operation::create:
      return "create";
    case Operation::write:
      return "write";
    case Operation::mkdir:
      return "mkdir";
    case Operation::rename:
      return "rename";
    case Operation::remove:
      return "remove";
    case Operation::rmdir:
      return "rmdir";
    case Operation::readdir:
      return "readdir";
    case Operation::touch:
      return "touch";
    case Operation::set_time:
      return "settime";
    case Operation::change_mode:
      return "chmod";
    case Operation::readlink:
      return "readlink";
    case Operation::read:
      return "read";
  }
  return "";
}

bool changes(Operation operation) {
  switch (operation) {
    case Operation::getattr:
    case Operation::lookup:
    case Operation::readdir:
    case Operation::readlink:
    case Operation::read:
      return false;
    default:
      return true;
  }
}

void Server::restart(bool exact, Time tick, Time clock, std::uint64_t salt) {
  salt_ = salt;
  exact_ = exact;
  tick_ = tick;
  clock_ = clock;
  used_ = 0;
  lock_directory_ = no_handle;
  writer_since_ = never;
  fresh(fs::Type::directory, 0777, 0);
}

Handle Server::fresh(fs::Type type, mode_t mode, Time now) {
  if (used_ == nodes_.size()) nodes_.emplace_back();
  Node& node = nodes_[used_++];
  node.type = type;
  node.removed = false;
  node.mode = mode;
  node.count = 0;
  node.content.clear();
  node.size = 0;
  node.owner = -1;
  node.published = never;
  touched(node, now);
  return static_cast<Handle>(used_);
}

std::int64_t Server::stamp(Time now) const { return (clock_ + now) / tick_ * tick_; }

void Server::touched(Node& node, Time now) {
  const std::int64_t present = stamp(now);
  node.mtime = node.ctime = present;
  ++node.count;
}

std::int64_t Server::version(const Node& node) const {
  return exact_ ? static_cast<std::int64_t>(node.count) : node.mtime;
}

std::size_t Server::index_of(const Node& directory, std::string_view name) const {
  for (std::size_t i = 0; i < directory.size; ++i) {
    if (directory.entries[i].name == name) return i;
  }
  return absent;
}

Handle Server::find(Handle directory, std::string_view name) const {
  const Node& node = nodes_[directory - 1];
  const std::size_t index = index_of(node, name);
  return index == absent ? no_handle : node.entries[index].handle;
}

void Server::add(Handle directory, const std::string& name, Handle handle, Time now) {
  Node& node = at(directory);
  if (node.size == node.entries.size()) node.entries.emplace_back();
  Node::Named& entry = node.entries[node.size++];
  entry.name = name;
  entry.handle = handle;
  entry.cookie = cookie_of(name, salt_);
  touched(node, now);
  if (directory == lock_directory_ && name == protocol::writer_name && writer_since_ == never) writer_since_ = now;
}

void Server::drop(Handle directory, std::size_t index, Time now) {
  Node& node = at(directory);
  if (directory == lock_directory_ && node.entries[index].name == protocol::writer_name) writer_since_ = never;
  std::swap(node.entries[index], node.entries[node.size - 1]);
  --node.size;
  touched(node, now);
}

void Server::describe(Handle handle, Reply& reply) const {
  const Node& node = nodes_[handle - 1];
  reply.handle = handle;
  reply.attributes.type = node.type;
  reply.attributes.stamp = {handle, node.mtime, node.ctime};
  reply.attributes.mode = node.mode;
  reply.attributes.uid = 1000;
  reply.attributes.gid = 100;
  reply.attributes.links = node.removed ? 0 : 1;
  reply.attributes.size = node.content.size();
  reply.attributes.device = 7;
  reply.version = version(node);
  reply.count = node.count;
}

Change Server::begin_change(const Node& directory) const { return {version(directory), 0, 0}; }

void Server::end_change(const Node& directory, Change& change) const {
  change.after = version(directory);
  change.count = directory.count;
}

Reply Server::carry_out(const Request& request, Time now) {
  Reply reply;
  reply.error = check(request);
  if (reply.error == 0) reply.error = execute(request, now, reply);
  return reply;
}

int Server::check(const Request& request) const {
  const Node& node = nodes_[request.handle - 1];
  if (node.removed) return ESTALE;
  const bool in_directory = !request.name.empty() || request.operation == Operation::readdir;
  return in_directory && node.type != fs::Type::directory ? ENOTDIR : 0;
}

int Server::execute(const Request& request, Time now, Reply& reply) {
  switch (request.operation) {
    case Operation::lookup: {
      const Handle found = find(request.handle, request.name);
      if (found == no_handle) return ENOENT;
      describe(found, reply);
      return 0;
    }
    case Operation::symlink:
      return create(request, fs::Type::symlink, now, reply);
    case Operation::create:
      return create(request, fs::Type::file, now, reply);
    case Operation::mkdir:
      return create(request, fs::Type::directory, now, reply);
    case Operation::rename:
      return rename(request, now, reply);
    case Operation::remove:
    case Operation::rmdir:
      return remove(request, now, reply);
    case Operation::readdir:
      return list(request, reply);
    default:
      return change_entry(request, now, reply);
  }
}

int Server::create(const Request& request, fs::Type type, Time now, Reply& reply) {
  if (find(request.handle, request.name) != no_handle) return EEXIST;
  reply.directory = begin_change(at(request.handle));
  const Handle made = fresh(type, static_cast<mode_t>(request.number), now);
  at(made).content = request.content;
  at(made).owner = request.process;
  at(made).alive = request.sent;
  add(request.handle, request.name, made, now);
  if (request.handle == root() && type == fs::Type::directory) lock_directory_ = made;
  end_change(at(request.handle), reply.directory);
  describe(made, reply);
  return 0;
}

Handle Server::make(Handle directory, const std::string& name, fs::Type type, mode_t mode, Time now) {
  Request request;
  request.handle = directory;
  request.name = name;
  request.number = static_cast<std::int64_t>(mode);
  Reply reply;
  static_cast<void>(create(request, type, now, reply));
  return reply.handle;
}

int Server::rename(const Request& request, Time now, Reply& reply) {
  const std::size_t source = index_of(at(request.handle), request.name);
  if (source == absent) return ENOENT;
  if (at(request.target_directory).removed) return ESTALE;
  const Handle moved = at(request.handle).entries[source].handle;
  const Handle replaced = find(request.target_directory, request.target_name);
  if (replaced == moved) return 0;
  const bool directory = at(moved).type == fs::Type::directory;
  if (replaced != no_handle) {
    const bool onto_directory = at(replaced).type == fs::Type::directory;
    if (directory && !onto_directory) return ENOTDIR;
    if (!directory && onto_directory) return EISDIR;
    if (at(replaced).size != 0) return ENOTEMPTY;
  }
  reply.directory = begin_change(at(request.handle));
  reply.target_directory = begin_change(at(request.target_directory));
  drop(request.handle, source, now);
  if (replaced != no_handle) {
    watch_.removing(request.target_name, request.target_directory, at(replaced), request);
    at(replaced).removed = true;
    Node& target = at(request.target_directory);
    target.entries[index_of(target, request.target_name)].handle = moved;
    touched(target, now);
  } else {
    add(request.target_directory, request.target_name, moved, now);
  }
  Node& node = at(moved);
  if (request.handle == request.target_directory) node.alive = request.sent;  // a renewal
  node.ctime = stamp(now);
  ++node.count;
  note_published(moved, request, now);
  end_change(at(request.handle), reply.directory);
  end_change(at(request.target_directory), reply.target_directory);
  describe(moved, reply);
  return 0;
}

void Server::note_published(Handle moved, const Request& request, Time now) {
  if (lock_directory_ == no_handle) return;
  const bool reads = request.target_directory == find(lock_directory_, protocol::readers_name);
  const bool claims = request.target_directory == lock_directory_ && request.target_name == protocol::writer_name;
  if (reads) at(moved).published = now;
  if (reads || claims) watch_.published(moved, request);
}

int Server::remove(const Request& request, Time now, Reply& reply) {
  const std::size_t index = index_of(at(request.handle), request.name);
  if (index == absent) return ENOENT;
  const Handle doomed = at(request.handle).entries[index].handle;
  const bool directory = at(doomed).type == fs::Type::directory;
  if (request.operation == Operation::rmdir && !directory) return ENOTDIR;
  if (request.operation == Operation::remove && directory) return EISDIR;
  if (at(doomed).size != 0) return ENOTEMPTY;
  reply.directory = begin_change(at(request.handle));
  watch_.removing(request.name, request.handle, at(doomed), request);
  at(doomed).removed = true;
  drop(request.handle, index, now);
  end_change(at(request.handle), reply.directory);
  return 0;
}

int Server::list(const Request& request, Reply& reply) const {
  const Node& node = nodes_[request.handle - 1];
  std::vector<const Node::Named*> order;
  for (std::size_t i = 0; i < node.size; ++i) {
    if (node.entries[i].cookie > request.cookie) order.push_back(&node.entries[i]);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->cookie < b->cookie; });
  const std::size_t count = std::min(order.size(), static_cast<std::size_t>(request.chunk));
  for (std::size_t i = 0; i < count; ++i) reply.entries.push_back(fs::Entry{order[i]->name});
  reply.cookie = count == 0 ? request.cookie : order[count - 1]->cookie;
  reply.end = count == order.size();
  describe(request.handle, reply);
  return 0;
}

int Server::change_entry(const Request& request, Time now, Reply& reply) {
  Node& node = at(request.handle);
  switch (request.operation) {
    case Operation::touch:
      if (node.mtime != stamp(now) && watch_.in_force(node)) node.alive = request.sent;
      touched(node, now);
      break;
    case Operation::set_time:
      node.mtime = request.number * second;
      node.ctime = stamp(now);
      ++node.count;
      break;
    case Operation::change_mode:
      node.mode = static_cast<mode_t>(request.number);
      node.ctime = stamp(now);
      ++node.count;
      break;
    case Operation::write:
      node.content = request.content;
      node.mode = static_cast<mode_t>(request.number);
      touched(node, now);
      break;
    case Operation::readlink:
      if (node.type != fs::Type::symlink) return EINVAL;
      reply.content = node.content;
      break;
    case Operation::read:
      reply.content = node.content;
      break;
    default:
      break;
  }
  describe(request.handle, reply);
  return 0;
}

void Server::remove_tree(Handle directory, const std::string& name, Time now) {
  const std::size_t index = index_of(at(directory), name);
  if (index == absent) return;
  const Handle doomed = at(directory).entries[index].handle;
  while (at(doomed).size > 0) remove_tree(doomed, std::string(at(doomed).entries[0].name), now);
  at(doomed).removed = true;
  drop(directory, index, now);
  if (doomed == lock_directory_) lock_directory_ = no_handle;
}

}  // namespace rwlease::sim
