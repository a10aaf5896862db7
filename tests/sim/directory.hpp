// The library's seam to the file system, over a simulated NFS client.
#pragma once

#include "fs/directory.hpp"
#include "sim/client.hpp"

#include <map>
#include <memory>
#include <string>

namespace rwlease::sim {

class SimulatedFileSystem final : public fs::FileSystem {
 public:
  SimulatedFileSystem(World& world, Process& process) : world_(world), process_(process) {}
  fs::Result open(const std::string& path, std::unique_ptr<fs::Directory>& opened) override;
  fs::Result rename(const std::string& from, const std::string& to) override;

 private:
  World& world_;
  Process& process_;
};

class SimulatedDirectory final : public fs::Directory {
 public:
  SimulatedDirectory(World& world, Process& process, Handle handle, std::string path)
      : world_(world), process_(process), client_(world, process), handle_(handle), path_(std::move(path)) {}

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
  fs::Result list_lasting(const std::string& name, std::vector<fs::Entry>& entries) override;

 private:
  fs::Result open_and_read(const std::string& name, Handle& handle, std::vector<fs::Entry>& entries);
  fs::Result list_anew(const std::string& name, Handle& handle, std::vector<fs::Entry>& entries);

  World& world_;
  Process& process_;
  Client client_;
  const Handle handle_;
  const std::string path_;
  std::map<std::string, Handle> kept_;  // open for list_lasting
};

}  // namespace rwlease::sim
