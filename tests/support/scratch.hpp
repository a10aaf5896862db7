// A directory of its own for each test, on a local file system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rwlease::test {

// Made under TMPDIR (or /tmp), removed with all that is in it at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& directory() const noexcept { return directory_; }
  std::filesystem::path operator/(const std::string& name) const { return directory_ / name; }

  // The same as a word of a command line.
  std::string path(const std::string& name = "data") const { return directory_ / name; }

 private:
  std::filesystem::path directory_;
};

// Everything below the directory, relative to it and sorted; empty when it is not there.
std::vector<std::string> listing(const std::filesystem::path& directory);

// The same without fence entries, which stay.
std::vector<std::string> listing_without_fences(const std::filesystem::path& directory);

// The marker that is alone in PATH.rwlease/readers or PATH.rwlease/writer; throws std::runtime_error when there is
// not exactly one entry.
std::filesystem::path only_entry(const std::filesystem::path& directory);

}  // namespace rwlease::test
