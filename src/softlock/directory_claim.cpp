#include "softlock/directory_claim.hpp"

#include "protocol/failure.hpp"
#include "protocol/observer.hpp"

#include <cerrno>

namespace rwlease::softlock {

bool DirectoryClaim::make() {
  fs::Directory& directory = *scene_.site.directory;
  const fs::Instant sent = fs::Instant::now(*scene_.site.clock);
  const fs::Result made = directory.make_directory(scene_.name, directory_mode);
  // Also for an own mkdir whose reply was lost: nobody will finish it, and the window ends it.
  if (made.error() == EEXIST) return false;
  if (!made.ok()) protocol::fail("making lock", scene_.path(), made);
  return furnish(sent);
}

bool DirectoryClaim::furnish(const fs::Instant& sent) {
  std::unique_ptr<fs::Directory> opened;
  fs::Result result = scene_.site.directory->open_directory(scene_.name, opened);
  if (result.absent()) return false;
  const protocol::MarkerId id = fresh_id(scene_);
  begin(id, scene_.name + "/" + id.text(), fs::Instant::now(*scene_.site.clock));
  bool made = false;
  if (result.ok()) result = opened->make_file_in_place(content_text(scene_, id), id.text(), file_mode, made);
  if (result.ok() && alone(*opened) && scene_.in_time(sent.boot) && marker_->validity().in_force(*scene_.site.clock)) {
    return true;
  }
  if (opened) static_cast<void>(opened->remove(id.text()));
  if (result.ok() || result.absent()) return false;
  if (scene_.in_time(sent.boot)) static_cast<void>(protocol::remove_directory_entry(scene_.site, scene_.name));
  protocol::fail("making an owner's file in", scene_.path(), result);
}

// Right after an own change of it; and it is still where it was made.
bool DirectoryClaim::alone(fs::Directory& opened) const {
  std::vector<fs::Entry> entries;
  if (!opened.list("", entries).ok() || entries.size() != 1 || entries.front().name != marker_->name()) return false;
  fs::Attributes ignored;
  return scene_.site.directory->look(marker_->path(), ignored).ok();
}

std::vector<fs::Entry> DirectoryClaim::entries() {
  std::vector<fs::Entry> entries;
  const fs::Result listed = scene_.site.directory->list(scene_.name, entries);
  if (!listed.ok() && !listed.absent() && listed.error() != ENOTDIR) {
    protocol::fail("listing lock", scene_.path(), listed);
  }
  return entries;
}

Sighting DirectoryClaim::sight() {
  Sighting itself = inspector_.look(scene_.name);
  if (itself.standing == Standing::gone || itself.attributes.type != fs::Type::directory) return itself;
  bool empty = true;
  for (const fs::Entry& entry : entries()) {
    Sighting seen = inspector_.look(scene_.name + "/" + entry.name);
    if (seen.standing != Standing::gone) return seen;
    empty = false;  // it was not, a moment ago
  }
  if (!empty) itself.standing = Standing::present;
  return itself;
}

bool DirectoryClaim::is_owner(const std::string& path) const {
  return protocol::MarkerId::parse(protocol::base_name(path)).has_value();
}

Removal DirectoryClaim::clear(const Sighting& seen) {
  if (is_owner(seen.path)) {
    const fs::Result removed = remove_owner(seen.path);
    if (removed.ok() || removed.absent()) return Removal::removed;
    scene_.site.say(protocol::Severity::warning, "cannot remove the owner's file of user " +
                                                     std::to_string(seen.attributes.uid) + " from " + scene_.path() +
                                                     ": " + removed.text());
    return Removal::failed;
  }
  const Nanoseconds began = scene_.site.clock->boot();
  const Removal removal = remover_.remove(seen);
  if (removal != Removal::removed) return removal;
  // What another program has in its directory goes before the directory; there may be more of it.
  const bool inside = seen.path != scene_.name;
  if (inside && scene_.in_time(began)) static_cast<void>(scene_.site.directory->remove_directory(scene_.name));
  return Removal::removed;
}

// Who has removed the owner's file removes the directory too, and does so soon or never.
fs::Result DirectoryClaim::remove_owner(const std::string& path) {
  const Nanoseconds began = scene_.site.clock->boot();
  const fs::Result removed = scene_.site.directory->remove(path);
  if (removed.ok() && scene_.in_time(began)) static_cast<void>(scene_.site.directory->remove_directory(scene_.name));
  return removed;
}

Beat DirectoryClaim::beat() {
  if (!adopted()) return marker_->beat(scene_.site);
  const Beat beat = marker_->beat(scene_.site);
  return beat == Beat::uncounted ? extend(fs::Instant::now(*scene_.site.clock)) : beat;
}

bool DirectoryClaim::mine() {
  fs::Attributes ignored;
  const fs::Result looked = scene_.site.directory->look(marker_->path(), ignored);
  if (!looked.ok() && !looked.absent()) protocol::fail("looking at lock", scene_.path(), looked);
  return looked.ok() && ignored.links != 0;
}

bool DirectoryClaim::give_back() {
  const bool in_force = marker_->validity().in_force(*scene_.site.clock);
  constexpr int tries = 3;
  fs::Result removed;
  for (int i = 0; i < tries; ++i) {
    removed = remove_owner(marker_->path());
    if (removed.ok()) return in_force;
    // Absent after an answer that failed is an own removal whose reply was lost.
    if (removed.absent()) return in_force && i > 0;
    if (!removed.transient()) break;
  }
  protocol::fail("removing the owner's file from", scene_.path(), removed);
}

bool DirectoryClaim::adopt() {
  for (const fs::Entry& entry : entries()) {
    const auto id = protocol::MarkerId::parse(entry.name);
    if (!id) continue;
    const Sighting seen = inspector_.look(scene_.name + "/" + entry.name);
    if (!seen.content.record || !left_for_us(*seen.content.record)) continue;
    begin_adopted(*id, seen.path);
    return true;
  }
  return false;
}

}  // namespace rwlease::softlock
