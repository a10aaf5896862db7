// A participant's own marker: made, kept alive, renewed, removed.
#pragma once

#include "protocol/site.hpp"
#include "protocol/validity.hpp"

#include <memory>
#include <optional>
#include <string>

namespace rwlease::protocol {

// What a heartbeat achieved.
enum class Beat {
  counted,    // the lease goes on
  uncounted,  // it came back too late, or the time did not move: it proves nothing
  gone,       // the marker is not there any more
  failed,     // the file system did not answer, or refused; try again while the lease lasts
};

// One thread at a time, except that validity() may be read by any.
class Marker {
 public:
  // `id` was not used before.
  Marker(const Site& site, MarkerId id);

  const MarkerId& id() const noexcept { return id_; }
  std::string name() const { return id_.text(); }

  // It goes on under another name, alive since `sent`.
  void become(MarkerId id, std::string path, const Instant& sent);

  // Where it is, relative to the lock directory; empty before it was made.
  const std::string& path() const noexcept { return path_; }
  void moved_to(std::string path) { path_ = std::move(path); }

  // The lease counts from just before this. EEXIST on a name that is never used twice is an own creation whose reply
  // was lost, and counts as success where the marker must be whole then; else EAGAIN: try under another name.
  fs::Result create(const Site& site, const std::string& path);

  // One heartbeat at the present path.
  Beat beat(const Site& site);

  // With what the last heartbeat failed; none where it did not fail.
  fs::Result trouble() const noexcept { return trouble_; }

  Validity& validity() noexcept { return *validity_; }
  const Validity& validity() const noexcept { return *validity_; }
  std::shared_ptr<const Validity> shared_validity() const noexcept { return validity_; }

 private:
  Beat after_failure(const Site& site, fs::Result result);

  MarkerId id_;
  std::string path_;
  std::shared_ptr<Validity> validity_;
  std::optional<fs::Stamp> last_stamp_;  // what the last heartbeat left
  fs::Result trouble_;
};

// How long after this heartbeat the next is due: soon where it did not count.
Nanoseconds pause_after(Beat beat, const Terms& terms);

// What this participant's record says in the marker with that id, made now.
Record record_of(const Site& site, const MarkerId& id);

// Makes an entry that is a marker of this kind. See Marker::create. EAGAIN: not under this name any more.
fs::Result make_marker_entry(const Site& site, const MarkerId& id, const std::string& path);

// Looks twice: a handle that is stale for once says nothing about the entry.
bool surely_absent(const Site& site, const std::string& path);

// Removes an entry; one that is not there counts as removed. Tries a few times where the file system only hiccups,
// so that one lost reply leaves nothing behind.
fs::Result remove_entry(const Site& site, const std::string& path);
fs::Result remove_directory_entry(const Site& site, const std::string& path);

// Has this client ask the server when that name is used next. It may have cached that there is no such entry, and on
// NFSv3 one that came within the tick of the last change that the client knows of is believed absent for ever, forced
// looks or not.
void forget_name(const Site& site, const std::string& path);

// Gives a marker back where it is: a reader's by one removal, a writer's by a second, of the directory it stood in.
// False when it was not there any more.
bool release_marker(const Site& site, const Marker& marker);

// Creates and removes a hidden entry in that subdirectory: afterwards this client's view of it is fresh.
fs::Result change_directory_itself(const Site& site, const std::string& directory);

}  // namespace rwlease::protocol
