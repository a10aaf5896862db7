// The limit: the system calls of docs/protocol.md in their order, and nothing else.
#pragma once

#include <string>

namespace rwlease::bench {

// On a lock directory of its own. Throws std::system_error.
class Bare {
 public:
  // `record`: what a marker says; its length counts, because file systems keep short symlinks in the inode.
  Bare(const std::string& lock_directory, std::string record);
  ~Bare();
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void read();
  void write();

  // A write lease without a fencing number, to tell what that costs.
  void write_without_fence();

 private:
  void next_id();
  void claim();
  void draw_fence();
  void give_back();

  const std::string record_;
  int lock_ = -1;
  int lock_listing_ = -1;
  int readers_listing_ = -1;
  unsigned long number_ = 0;
  std::string id_;
  std::string fence_ = "readers/.f.0";
};

}  // namespace rwlease::bench
