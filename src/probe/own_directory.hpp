// A directory to try things in, with a name that nobody has used.
#pragma once

#include <string>

namespace rwlease::probe {

// Makes DIRECTORY/PREFIX.XXXXXX. Empty when done (then `made` is its path), else what failed.
std::string make_unique_directory(const std::string& directory, const std::string& prefix, std::string& made);

// Everything below the path, and the path, in several tries: others may still be at work in it, or NFS hold a name
// until a file is closed. False if something is left.
bool remove_patiently(const std::string& path) noexcept;

// One that goes with this object.
class OwnDirectory {
 public:
  // Throws std::runtime_error.
  OwnDirectory(const std::string& directory, const std::string& prefix);
  ~OwnDirectory() { remove(); }
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::string name() const { return path_.substr(path_.rfind('/') + 1); }

  // Now; false if something is left.
  bool remove() noexcept { return remove_patiently(path_); }

 private:
  std::string path_;
};

}  // namespace rwlease::probe
