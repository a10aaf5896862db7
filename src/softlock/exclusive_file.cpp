#include "softlock/exclusive_file.hpp"

#include "protocol/failure.hpp"

#include <cerrno>

namespace rwlease::softlock {

bool ExclusiveFile::make() {
  const protocol::MarkerId id = fresh_id(scene_);
  fs::Directory& directory = *scene_.site.directory;
  const fs::Instant sent = fs::Instant::now(*scene_.site.clock);
  begin(id, scene_.name, sent);
  bool made = false;
  const fs::Result result = directory.make_file_in_place(content_text(scene_, id), scene_.name, file_mode, made);
  // Also for an own creation whose reply was lost: nobody will finish that file, and the window ends it.
  if (!made && result.error() == EEXIST) return false;
  if (!result.ok()) {
    if (made) withdraw(sent.boot);
    protocol::fail("making lock", scene_.path(), result);
  }
  fs::Attributes seen;
  const fs::Result looked = directory.look(scene_.name, seen);
  const bool ours = looked.ok() && seen.links != 0 && holds_own_token();
  if (ours && scene_.in_time(sent.boot)) {
    recognise(seen);
    if (marker_->validity().in_force(*scene_.site.clock)) return true;
  }
  // Others may have begun to remove what they saw unfinished; it must not be removed by us as well, for another's may
  // be there by then. It is waited out like anybody's.
  inspector_.abandon(id.token);
  return false;
}

// Within the limit nobody can have begun to remove it.
void ExclusiveFile::withdraw(Nanoseconds began) {
  if (!scene_.in_time(began)) return;
  const fs::Result removed = scene_.site.directory->remove(scene_.name);
  if (removed.ok() || removed.absent()) return;
  scene_.site.say(protocol::Severity::warning, "an unfinished lock stays at " + scene_.path() + ": " + removed.text());
}

}  // namespace rwlease::softlock
