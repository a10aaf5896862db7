#include "probe/checks.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace rwlease::probe {
namespace {

std::string text_of(int error) { return error == 0 ? "it succeeded" : std::generic_category().message(error); }

class Calls {
 public:
  Calls(const std::string& directory, MarkerKind kind)
      : links_(directory, MarkerKind::symlink), folder_(directory, kind), kind_(kind) {}

  std::vector<Check> all() {
    symlinks();
    symlink_times();
    publish();
    claims();
    removals();
    looks();
    listings();
    wake_ups();
    return std::move(checks_);
  }

 private:
  void add(const std::string& name, bool passed, const std::string& observed, bool needed = true) {
    checks_.push_back({name, passed, needed, passed ? "" : observed});
  }

  void expect(const std::string& name, int error, bool needed = true) { add(name, error == 0, text_of(error), needed); }

  void symlinks() {
    std::string text;
    int error = links_.make_marker("link", "a record");
    if (error == 0) error = links_.read_marker("link", text);
    add("make and read symlinks", error == 0 && text == "a record", text_of(error) + "; markers are files", false);
  }

  void symlink_times() {
    add("set the times of symlinks", kind_ == MarkerKind::symlink, "their times do not move; markers are files", false);
  }

  void publish() {
    int error = folder_.make_directory("readers");
    if (error == 0) error = folder_.make_marker(".marker", "a record");
    if (error == 0) error = folder_.rename(".marker", "readers/marker");
    expect("rename an entry into another directory", error);
  }

  void claims() {
    static_cast<void>(folder_.make_directory("claim-a"));
    expect("rename a directory to an absent name", folder_.rename("claim-a", "writer"));
    static_cast<void>(folder_.make_directory("claim-b"));
    expect("rename a directory onto an empty one", folder_.rename("claim-b", "writer"));
    static_cast<void>(folder_.make_marker("writer/marker", "a record"));
    static_cast<void>(folder_.make_directory("claim-c"));
    const int error = folder_.rename("claim-c", "writer");
    add("refuse it onto one that is not empty", is_not_empty(error), text_of(error));
  }

  void removals() {
    const int full = folder_.remove_directory("writer");
    add("refuse to remove a directory that is not empty", is_not_empty(full), text_of(full));
    int error = folder_.remove("writer/marker");
    if (error == 0) error = folder_.remove_directory("writer");
    expect("remove an entry, and the empty directory", error);
    const int absent = folder_.remove_directory_surely("writer");
    add("tell that an entry is absent", is_absent(absent), text_of(absent));
  }

  void looks() {
    Stamp before;
    Stamp after;
    int error = folder_.make_marker("looked-at", "a record");
    if (error == 0) error = folder_.look("looked-at", before);
    const bool moved = error == 0 && folder_.touch_until_moved("looked-at");
    if (error == 0) error = folder_.look("looked-at", after);
    add("see a change by a forced look", moved && after != before, error == 0 ? "it shows none" : text_of(error));
  }

  void listings() {
    std::vector<std::string> entries;
    static_cast<void>(folder_.make_marker("listed", "a record"));
    const int error = folder_.list_fresh("once", entries);
    const bool shown = std::find(entries.begin(), entries.end(), "listed") != entries.end();
    add("list what is there after an own change", error == 0 && shown, error == 0 ? "it is missing" : text_of(error));
  }

  // On this host alone; elsewhere a waiter polls anyway.
  void wake_ups() { add("wake waiters of this host (inotify)", removal_is_told(), "none came: they poll", false); }

  bool removal_is_told() {
    constexpr int patience_ms = 1000;
    const int inotify = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify == -1) return false;
    const bool watched = ::inotify_add_watch(inotify, folder_.path().c_str(), IN_DELETE) != -1;
    static_cast<void>(folder_.make_marker("watched", "x"));
    static_cast<void>(folder_.remove("watched"));
    struct pollfd source = {inotify, POLLIN, 0};
    const bool told = watched && ::poll(&source, 1, patience_ms) == 1;
    ::close(inotify);
    return told;
  }

  Folder links_;
  Folder folder_;
  MarkerKind kind_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> check_calls(const std::string& directory, MarkerKind kind) { return Calls(directory, kind).all(); }

}  // namespace rwlease::probe
