// The file server: a tree of entries, and requests that are carried out one at a time.
#pragma once

#include "fs/attributes.hpp"
#include "sim/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rwlease::sim {

// What a client keeps of an entry: goes on meaning the same one when it is renamed, and nothing when it is removed.
using Handle = std::uint32_t;
inline constexpr Handle no_handle = 0;

enum class Operation {
  getattr,
  lookup,
  symlink,
  create,
  write,
  mkdir,
  rename,
  remove,
  rmdir,
  readdir,
  touch,
  set_time,
  change_mode,
  readlink,
  read,
};
const char* to_string(Operation operation);

// Those that change something; all others can be repeated as one likes.
bool changes(Operation operation);

struct Request {
  Operation operation = Operation::getattr;
  Handle handle = no_handle;  // the entry, or the directory that `name` is in
  std::string name;
  Handle target_directory = no_handle;  // rename
  std::string target_name;
  std::string content;
  std::int64_t number = 0;  // mode, or time in seconds
  std::uint64_t cookie = 0;
  int chunk = 0;
  int process = -1;  // who asks, and since when; the server does not care
  int task = -1;
  Time sent = 0;
};

// A directory before and after a request that changed it, as the client sees it.
struct Change {
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::uint64_t count = 0;
};

struct Reply {
  int error = 0;
  Handle handle = no_handle;
  fs::Attributes attributes;
  std::int64_t version = 0;  // of a directory, as the client sees it
  std::uint64_t count = 0;   // how often the entry was changed: orders replies that overtake each other
  Change directory;
  Change target_directory;
  std::string content;
  std::vector<fs::Entry> entries;
  std::uint64_t cookie = 0;
  bool end = false;
};

struct Node {
  struct Named {
    std::string name;
    Handle handle;
    std::uint64_t cookie;
  };

  fs::Type type = fs::Type::directory;
  bool removed = false;
  mode_t mode = 0;
  std::int64_t mtime = 0;
  std::int64_t ctime = 0;
  std::uint64_t count = 0;
  std::string content;
  std::vector<Named> entries;
  std::size_t size = 0;  // of entries: their strings are kept for the next schedule

  // What only the judge knows.
  int owner = -1;          // the process that made it
  Time alive = 0;          // when the last sign of life was sent that its owner may count on
  Time published = never;  // when it came into readers/
};

// Told of what happens, at the moment the server does it.
class ServerWatch {
 public:
  ServerWatch() = default;
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;
  virtual ~ServerWatch() = default;
  virtual void removing(std::string_view name, Handle directory, const Node& node, const Request& request) = 0;
  // A reader's marker, or a claim.
  virtual void published(Handle handle, const Request& request) = 0;
  virtual bool in_force(const Node& node) const = 0;  // may its owner count on it, by the last sign of life
};

class Server {
 public:
  explicit Server(ServerWatch& watch) : watch_(watch) {}

  // An empty tree. `exact`: clients see each change of a directory (NFSv4's change attribute), else only what its times
  // show (v3); times move by ticks.
  void restart(bool exact, Time tick, Time clock, std::uint64_t salt);

  Handle root() const { return 1; }
  Reply carry_out(const Request& request, Time now);

  // For the judge, and for what an administrator does.
  const Node& node(Handle handle) const { return nodes_[handle - 1]; }
  Handle find(Handle directory, std::string_view name) const;
  Handle make(Handle directory, const std::string& name, fs::Type type, mode_t mode, Time now);
  void remove_tree(Handle directory, const std::string& name, Time now);
  std::size_t made() const { return used_; }

  // The lock directory and, while it stands, since when `writer` does.
  Handle lock_directory() const { return lock_directory_; }
  Time writer_since() const { return writer_since_; }

 private:
  Node& at(Handle handle) { return nodes_[handle - 1]; }
  Handle fresh(fs::Type type, mode_t mode, Time now);
  void add(Handle directory, const std::string& name, Handle handle, Time now);
  void drop(Handle directory, std::size_t index, Time now);
  std::size_t index_of(const Node& directory, std::string_view name) const;
  void touched(Node& node, Time now);
  std::int64_t stamp(Time now) const;
  std::int64_t version(const Node& node) const;
  void describe(Handle handle, Reply& reply) const;
  Change begin_change(const Node& directory) const;
  void end_change(const Node& directory, Change& change) const;

  int check(const Request& request) const;
  int create(const Request& request, fs::Type type, Time now, Reply& reply);
  void note_published(Handle moved, const Request& request, Time now);
  int rename(const Request& request, Time now, Reply& reply);
  int remove(const Request& request, Time now, Reply& reply);
  int list(const Request& request, Reply& reply) const;
  int change_entry(const Request& request, Time now, Reply& reply);
  int execute(const Request& request, Time now, Reply& reply);

  ServerWatch& watch_;
  bool exact_ = true;
  Time tick_ = 1;
  Time clock_ = 0;
  std::uint64_t salt_ = 0;
  std::vector<Node> nodes_;
  std::size_t used_ = 0;
  Handle lock_directory_ = no_handle;
  Time writer_since_ = never;
};

}  // namespace rwlease::sim
