#include "softlock/file_claim.hpp"

#include "protocol/failure.hpp"

namespace rwlease::softlock {

bool FileClaim::mine() {
  fs::Attributes now;
  const fs::Result looked = scene_.site.directory->look(scene_.name, now);
  if (looked.absent() || (looked.ok() && now.links == 0)) return false;
  if (!looked.ok()) protocol::fail("looking at lock", scene_.path(), looked);
  if (now.stamp == own_) return true;
  if (now.stamp.inode != own_.inode || !holds_own_token()) return false;
  recognise(now);
  return true;
}

bool FileClaim::holds_own_token() {
  std::string text;
  const fs::Result read = scene_.site.directory->read_linked_file(scene_.name, longest_content, text);
  if (!read.ok() && !read.absent() && read.error() != EINVAL) protocol::fail("reading lock", scene_.path(), read);
  const Content content = Content::parse(text);
  return read.ok() && content.record && content.record->token == marker_->id().token;
}

// The name is looked at before, so that nobody else's file is touched, and after, because only a time that has moved,
// of a file that is still ours, is a proof of life.
Beat FileClaim::beat() {
  try {
    if (!mine()) return Beat::gone;
    const fs::Stamp before = own_;
    const fs::Instant sent = fs::Instant::now(*scene_.site.clock);
    if (!scene_.site.directory->touch(scene_.name).ok()) return mine() ? Beat::failed : Beat::gone;
    if (!mine()) return Beat::gone;
    if (own_ == before) return Beat::uncounted;
    return extend(sent);
  } catch (const Error&) {
    return Beat::failed;
  }
}

// While the promise to others is kept none of them can be about to remove it, so it needs no right.
bool FileClaim::give_back() {
  if (!mine()) return false;
  const bool in_force = marker_->validity().in_force(*scene_.site.clock);
  if (in_force && !adopted()) return remove_in_force();
  const Sighting seen = sight();
  const bool still = seen.content.record && seen.content.record->token == marker_->id().token;
  // Another's right to remove it is as good.
  const Removal removal = still ? remover_.remove(seen) : Removal::changed;
  if (removal == Removal::failed) protocol::fail("removing lock", scene_.path(), fs::Result(EAGAIN));
  return in_force && removal == Removal::removed;
}

bool FileClaim::remove_in_force() {
  constexpr int tries = 3;
  fs::Result result;
  for (int i = 0; i < tries; ++i) {
    result = scene_.site.directory->remove(scene_.name);
    if (result.ok()) return true;
    // Absent after an answer that failed is an own removal whose reply was lost.
    if (result.absent()) return i > 0;
    if (!result.transient() || !marker_->validity().in_force(*scene_.site.clock)) break;
    if (!mine()) return true;
  }
  protocol::fail("removing lock", scene_.path(), result);
}

bool FileClaim::adopt() {
  const Sighting seen = sight();
  const auto& record = seen.content.record;
  if (seen.standing == Standing::gone || !record || !left_for_us(*record)) return false;
  protocol::MarkerId id = fresh_id(scene_);
  id.token = record->token;
  begin_adopted(id, scene_.name);
  recognise(seen.attributes);
  return true;
}

}  // namespace rwlease::softlock
