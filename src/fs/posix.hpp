// The seam over the kernel's system calls.
#pragma once

#include "fs/descriptor.hpp"
#include "fs/directory.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace rwlease::fs {

class PosixFileSystem final : public FileSystem {
 public:
  Result open(const std::string& path, std::unique_ptr<Directory>& opened) override;
  Result check_writable(const std::string& path) override;
  Result rename(const std::string& from, const std::string& to) override;
};

class PosixDirectory final : public Directory {
 public:
  // Takes over the descriptor.
  PosixDirectory(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixDirectory() override;

  const std::string& path() const override { return path_; }
  int descriptor() const override { return descriptor_; }
  Result open_directory(const std::string& name, std::unique_ptr<Directory>& opened) override;
  Result make_symlink(const std::string& target, const std::string& name) override;
  Result make_file(const std::string& content, const std::string& name, mode_t mode) override;
  Result make_directory(const std::string& name, mode_t mode) override;
  Result rename(const std::string& from, const std::string& to) override;
  Result remove(const std::string& name) override;
  Result remove_directory(const std::string& name) override;
  Result change_mode(const std::string& name, mode_t mode) override;
  Result change_group(const std::string& name, gid_t group) override;
  Result touch(const std::string& name) override;
  Result set_time(const std::string& name, std::int64_t seconds) override;
  Result look(const std::string& name, Attributes& attributes) override;
  Result glance(const std::string& name, Attributes& attributes) override;
  Result read_link(const std::string& name, std::string& target) override;
  Result read_file(const std::string& name, std::size_t limit, std::string& content) override;
  Result list(const std::string& name, std::vector<Entry>& entries) override;
  Result list_lasting(const std::string& name, std::vector<Entry>& entries) override;
  Result link(const std::string& from, const std::string& to) override;
  Result make_file_in_place(const std::string& content, const std::string& name, mode_t mode, bool& made) override;
  Result read_linked_file(const std::string& name, std::size_t limit, std::string& content) override;

 private:
  struct Listing {
    Descriptor handle;
    std::uint64_t inode = 0;
  };

  Result make_file_with(mode_t first_mode, const std::string& content, const std::string& name, mode_t mode,
                        bool& made);
  Result read_regular(const std::string& name, std::size_t limit, std::uint64_t most_links, std::string& content);
  Result open_listing(const std::string& name, Listing& listing);
  Result open_and_read(const std::string& name, Listing& listing, std::vector<Entry>& entries);
  Result list_anew(const std::string& name, Listing& listing, std::vector<Entry>& entries);
  Listing take_kept(const std::string& name);

  const int descriptor_;
  const std::string path_;

  std::mutex mutex_;                                  // guards kept_; never held during I/O
  std::map<std::string, std::vector<Listing>> kept_;  // handles that no listing uses now, by name
};

}  // namespace rwlease::fs
