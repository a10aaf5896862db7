// Waking up when this host changes a directory.
#pragma once

#include "fs/clock.hpp"
#include "fs/descriptor.hpp"

#include <string>

namespace rwlease::fs {

enum class Woken { timeout, change, cancelled };

// Sees removals of entries (or all changes) made by processes of this host (inotify). Where inotify is not to be had
// (user limit, another kind of file system) it just never sees one: waiting then lasts its full time. One thread.
class EntryWatch {
 public:
  EntryWatch() = default;

  // Starts to watch the directory `name` below the open one (empty: that itself) for the removal of `only`, or of any
  // entry that is not hidden when `only` is empty; the previous directory is no longer watched. True when it was not
  // watched before: what happened until now was not seen.
  bool watch(int directory, const std::string& name, const std::string& only);

  // The same for any change of its entries, hidden ones too.
  bool watch_changes(int directory, const std::string& name);

  // Until something was removed there (or changed), the cancel descriptor (-1: none) is readable, or the time is over.
  Woken wait(Nanoseconds duration, int cancel_descriptor);

 private:
  enum class Wanted { removals, changes };

  bool start(int directory, const std::string& name, const std::string& only, Wanted wanted);
  bool event_seen();

  Descriptor inotify_;
  int watched_ = -1;
  std::string name_;
  std::string only_;
  Wanted wanted_ = Wanted::removals;
};

}  // namespace rwlease::fs
