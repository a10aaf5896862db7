#include "softlock/hard_link.hpp"

#include "protocol/failure.hpp"

#include <cerrno>

namespace rwlease::softlock {
namespace {

// What may be answered although nothing is wrong: somebody was faster, or nothing is known.
bool may_pass(fs::Result linked) {
  return linked.ok() || linked.error() == EEXIST || linked.absent() || linked.transient();
}

[[noreturn]] void refuse(const std::string& path, fs::Result linked) {
  const bool no_links = linked.error() == EPERM || linked.error() == EOPNOTSUPP || linked.error() == ENOSYS;
  if (!no_links) protocol::fail("linking lock", path, linked);
  throw Error("linking lock", path, linked.text() + " (there may be no hard links here: use another primitive)",
              linked.code());
}

}  // namespace

bool HardLink::make() {
  const protocol::MarkerId id = fresh_id(scene_);
  const std::string hidden = private_prefix + id.text();
  fs::Directory& directory = *scene_.site.directory;
  begin(id, scene_.name, fs::Instant::now(*scene_.site.clock));
  const fs::Result made = directory.make_file(content_text(scene_, id), hidden, file_mode);
  if (!made.ok()) {
    static_cast<void>(protocol::remove_entry(scene_.site, hidden));
    protocol::fail("making a private file in", directory.path(), made);
  }
  const fs::Result linked = directory.link(hidden, scene_.name);
  fs::Attributes seen;
  fs::Result looked;
  const Outcome outcome = decide(hidden, seen, looked);
  const fs::Result removed = protocol::remove_entry(scene_.site, hidden);
  if (!removed.ok()) {
    scene_.site.say(protocol::Severity::warning, "a private file stays in " + directory.path() + ": " + removed.text());
  }
  if (outcome == Outcome::ours) return enter(seen);
  if (outcome == Outcome::unknown) {
    inspector_.abandon(id.token);
    withdraw();
    if (looked.absent()) return false;  // somebody swept it away, taking us for dead
    protocol::fail("looking at a private file in", directory.path(), looked);
  }
  if (!may_pass(linked)) refuse(scene_.path(), linked);
  return false;
}

HardLink::Outcome HardLink::decide(const std::string& hidden, fs::Attributes& seen, fs::Result& looked) {
  constexpr int tries = 3;
  for (int i = 0; i < tries; ++i) {
    looked = scene_.site.directory->look(hidden, seen);
    if (looked.ok()) return seen.links >= 2 ? Outcome::ours : Outcome::others;
    if (!looked.transient()) break;
  }
  return Outcome::unknown;
}

// The private file is gone, the lock's name still means the same inode: seen so once more, because others, who know
// nothing of its record, may have removed it already.
bool HardLink::enter(const fs::Attributes& seen) {
  fs::Attributes now;
  const fs::Result looked = scene_.site.directory->look(scene_.name, now);
  if (!looked.ok() && !looked.absent()) {
    withdraw();
    protocol::fail("looking at lock", scene_.path(), looked);
  }
  if (!looked.ok() || now.links == 0 || now.stamp.inode != seen.stamp.inode) return false;
  recognise(now);
  if (marker_->validity().in_force(*scene_.site.clock)) return true;
  give_back();
  return false;
}

// It may be ours without our knowing: what can be told by its token is given back.
void HardLink::withdraw() {
  try {
    fs::Attributes now;
    if (!scene_.site.directory->look(scene_.name, now).ok() || !holds_own_token()) return;
    recognise(now);
    give_back();
  } catch (const Error& error) {
    scene_.site.say(protocol::Severity::warning, std::string("withdrawing: ") + error.what());
  }
}

}  // namespace rwlease::softlock
