// The seam over a tree in memory: several clients on one tree, each with a hook before and after every call.
#pragma once

#include "fs/directory.hpp"
#include "support/memory_tree.hpp"

#include <functional>
#include <string>
#include <vector>

namespace rwlease::test {

// One call as it was asked for.
struct Call {
  std::string operation;  // as in text() below
  std::string name;
  std::string to;  // rename only

  // "rename .#1 readers/#1": markers by the number of their token, so that a test can name them.
  std::string text() const;
};

// What becomes of a call.
struct Verdict {
  enum Fate {
    normal,
    refused,     // fails, and was not carried out
    reply_lost,  // was carried out, but seems to have failed
    late,        // seems to have failed, and is carried out when the test says so
    ignored,     // not carried out, but seems to have succeeded
  };
  Fate fate = normal;
  int error = 0;
};

// One host's, or one process's, view of the tree. Hooks may let other clients act, or set hooks anew. One thread.
class Client {
 public:
  Client(MemoryTree& tree, Caller caller) : tree_(tree), caller_(std::move(caller)) {}

  std::function<Verdict(const Call&)> before;
  std::function<void(const Call&)> after;  // of calls that were carried out

  std::vector<std::string> calls;  // the text of each

  // The n-th call from now on (1: the next) gets this verdict.
  void nth_call(int n, Verdict verdict);

  // Runs the calls whose fate was `late`, in their order.
  void carry_out_late();

  MemoryTree& tree() { return tree_; }
  const Caller& caller() const { return caller_; }

  fs::Result run(const Call& call, const std::function<fs::Result()>& action);

 private:
  MemoryTree& tree_;
  Caller caller_;
  std::vector<std::function<fs::Result()>> late_;
};

class MemoryFileSystem final : public fs::FileSystem {
 public:
  explicit MemoryFileSystem(Client& client) : client_(client) {}
  fs::Result open(const std::string& path, std::unique_ptr<fs::Directory>& opened) override;
  fs::Result rename(const std::string& from, const std::string& to) override;

 private:
  Client& client_;
};

class MemoryDirectory : public fs::Directory {
 public:
  MemoryDirectory(Client& client, NodePtr node, std::string path)
      : client_(client), node_(std::move(node)), path_(std::move(path)) {}

  const std::string& path() const override { return path_; }
  int descriptor() const override { return -1; }
  fs::Result open_directory(const std::string& name, std::unique_ptr<fs::Directory>& opened) override;
  fs::Result make_symlink(const std::string& target, const std::string& name) override;
  fs::Result make_file(const std::string& content, const std::string& name, mode_t mode) override;
  fs::Result make_directory(const std::string& name, mode_t mode) override;
  fs::Result rename(const std::string& from, const std::string& to) override;
  fs::Result remove(const std::string& name) override;
  fs::Result remove_directory(const std::string& name) override;
  fs::Result change_mode(const std::string& name, mode_t mode) override;
  fs::Result change_group(const std::string& name, gid_t group) override;
  fs::Result touch(const std::string& name) override;
  fs::Result set_time(const std::string& name, std::int64_t seconds) override;
  fs::Result look(const std::string& name, fs::Attributes& attributes) override;
  fs::Result glance(const std::string& name, fs::Attributes& attributes) override;
  fs::Result read_link(const std::string& name, std::string& target) override;
  fs::Result read_file(const std::string& name, std::size_t limit, std::string& content) override;
  fs::Result list(const std::string& name, std::vector<fs::Entry>& entries) override;
  fs::Result list_lasting(const std::string& name, std::vector<fs::Entry>& entries) override {
    return list(name, entries);
  }
  fs::Result link(const std::string& from, const std::string& to) override;
  fs::Result make_file_in_place(const std::string& content, const std::string& name, mode_t mode, bool& made) override;
  fs::Result read_linked_file(const std::string& name, std::size_t limit, std::string& content) override;

 private:
  fs::Result create(const char* operation, const std::string& name, fs::Type type, mode_t mode,
                    const std::string& content);
  fs::Result read_regular(const std::string& name, std::size_t limit, std::uint64_t most_links, std::string& content);
  fs::Result look_at(const char* operation, const std::string& name, fs::Attributes& attributes);

  Client& client_;
  NodePtr node_;
  std::string path_;
};

// A path with each marker in it replaced by '#' and its token's number.
std::string shortened(const std::string& path);

}  // namespace rwlease::test
