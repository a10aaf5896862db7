#include "softlock/remover.hpp"

#include "protocol/failure.hpp"
#include "protocol/marker.hpp"
#include "protocol/observer.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdio>

namespace rwlease::softlock {
namespace {

// More than have ever died one after another in the middle of one removal.
constexpr int most_ranks = 64;

std::string identity(const Sighting& seen) {
  if (seen.content.record) return seen.content.record->token;
  const fs::Stamp& stamp = seen.attributes.stamp;
  char text[64];
  std::snprintf(text, sizeof text, "%" PRIx64 "-%" PRIx64 "-%" PRIx64, stamp.inode,
                static_cast<std::uint64_t>(stamp.mtime_ns), static_cast<std::uint64_t>(stamp.ctime_ns));
  return text;
}

std::string right_name(const std::string& base, int rank) { return base + "." + std::to_string(rank); }

}  // namespace

Removal Remover::remove(const Sighting& seen) {
  const std::string base = right_prefix + identity(seen);
  const Nanoseconds began = scene_.site.clock->boot();
  const auto rank = take_right(base);
  if (!rank) return Removal::busy;
  fs::Directory& directory = *scene_.site.directory;
  fs::Attributes now;
  const fs::Result looked = directory.look(seen.path, now);
  const bool stands = looked.ok() && now.links != 0 && now.stamp == seen.attributes.stamp;
  if (!scene_.in_time(began)) return Removal::failed;
  if (!stands) {
    drop_rights(base, *rank, *rank);
    return looked.ok() || looked.absent() ? Removal::changed : Removal::failed;
  }
  const bool is_directory = now.type == fs::Type::directory;
  const fs::Result removed = is_directory ? directory.remove_directory(seen.path) : directory.remove(seen.path);
  if (removed.ok() || removed.absent()) {
    drop_rights(base, 0, *rank);
    return Removal::removed;
  }
  // What may still be carried out later keeps the right until the window is over.
  if (!removed.transient() && scene_.in_time(began)) drop_rights(base, *rank, *rank);
  scene_.site.say(protocol::Severity::warning, "cannot remove " + directory.path() + "/" + seen.path + " of user " +
                                                   std::to_string(now.uid) + ": " + removed.text());
  return Removal::failed;
}

std::optional<int> Remover::take_right(const std::string& base) {
  for (int rank = 0; rank < most_ranks; ++rank) {
    const std::string name = right_name(base, rank);
    if (make_right(name)) return rank;
    if (!may_be_taken_over(name)) return std::nullopt;
  }
  return std::nullopt;
}

bool Remover::make_right(const std::string& name) {
  protocol::Record record = *scene_.site.self;
  record.token = scene_.site.host->random_token();
  record.process = scene_.site.host->self();
  record.sole = true;
  record.process_group = 0;
  const std::string text = record.text();
  fs::Directory& directory = *scene_.site.directory;
  fs::Result result = directory.make_symlink(text, name);
  std::string found;
  if (result.error() == EEXIST) return directory.read_link(name, found).ok() && found == text;
  const bool refused = !result.ok() && !result.absent() && !result.transient();
  // Where symlinks are not to be had.
  if (refused) result = directory.make_file(text + "\n", name, file_mode);
  if (result.error() == EEXIST) return false;
  if (!result.ok()) protocol::fail("making a hidden entry in", directory.path(), result);
  return true;
}

// Its maker is dead, or must not use it any more.
bool Remover::may_be_taken_over(const std::string& name) {
  fs::Attributes attributes;
  protocol::Look look;
  const fs::Result looked = protocol::forced_look(scene_.site, name, attributes, look);
  if (!looked.ok()) return false;  // it goes at this moment: look again at the next poll
  const auto record = protocol::read_record(*scene_.site.directory, name, attributes);
  const bool proven = record && protocol::check_death(*scene_.site.host, *record).state == fs::ProcessState::gone;
  if (proven && scene_.site.trust_proof_of_death) return true;
  return scene_.site.ledger->observe(name, look, scene_.window());
}

void Remover::drop_rights(const std::string& base, int from, int to) {
  for (int rank = from; rank <= to; ++rank) {
    static_cast<void>(protocol::remove_entry(scene_.site, right_name(base, rank)));
    scene_.site.ledger->forget(right_name(base, rank));
  }
}

}  // namespace rwlease::softlock
