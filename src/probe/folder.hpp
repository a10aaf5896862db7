// The file calls under test, as rwlease makes them, without rwlease in between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rwlease::probe {

// What tells two states of one name apart.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  bool operator==(const Stamp& other) const noexcept {
    return inode == other.inode && mtime_ns == other.mtime_ns && ctime_ns == other.ctime_ns;
  }
  bool operator!=(const Stamp& other) const noexcept { return !(*this == other); }
};

enum class MarkerKind { symlink, file };

// An open directory. Calls give an errno, 0 for success; names are relative to the directory.
class Folder {
 public:
  // Throws rwlease::Error.
  explicit Folder(std::string path, MarkerKind kind = MarkerKind::symlink);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const noexcept { return path_; }

  int make_marker(const std::string& name, const std::string& text) const;
  int read_marker(const std::string& name, std::string& text) const;
  int make_directory(const std::string& name) const;
  int rename(const std::string& from, const std::string& to) const;
  int remove(const std::string& name) const;
  int remove_directory(const std::string& name) const;

  // The same where "absent" must be the server's word, not that of a cache: it is believed only when the name can be
  // made. To make one asks the server, and when that fails the client forgets what it had cached. A forced look at the
  // directory is not enough: within one tick of the server's clock nothing tells an NFSv3 client of a change.
  int remove_directory_surely(const std::string& name) const;

  // Sets the entry's times to the server's present.
  int touch(const std::string& name) const;

  // Touches it until its time has moved: a touch within one step of the file system's clock changes nothing. False when
  // it does not move within three seconds. Throws rwlease::Error.
  bool touch_until_moved(const std::string& name) const;

  // A forced look: the client must ask the server. An empty name means the directory itself.
  int look(const std::string& name, Stamp& stamp) const;

  // A look that the client may answer from its cache.
  int glance(const std::string& name, Stamp& stamp) const;

  // The listing after an own change in this directory.
  int list_fresh(const std::string& unique, std::vector<std::string>& entries) const;

  // The listing that the client may answer from its cache.
  int list(std::vector<std::string>& entries) const;

  // Throws rwlease::Error for any errno but 0.
  void require(int error, const char* operation, const std::string& name) const;

 private:
  int make_file(const std::string& name, const std::string& text) const;

  std::string path_;
  MarkerKind kind_;
  int descriptor_;
};

bool is_absent(int error) noexcept;
bool is_not_empty(int error) noexcept;

// Everything below a path, and the path; false if something is left. Never throws.
bool remove_tree(const std::string& path) noexcept;

}  // namespace rwlease::probe
