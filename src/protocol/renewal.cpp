#include "protocol/renewal.hpp"

#include "protocol/failure.hpp"
#include "protocol/read_attempt.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::protocol {

Renewal Renewer::renew(Marker& marker) {
  trouble_ = fs::Result();
  const Renewal renewal = is_in_writer(marker.path()) ? renew_writer(marker) : renew_reader(marker);
  if (renewal != Renewal::failed) trouble_ = fs::Result();
  return renewal;
}

// A rename is the swap. Where its reply says nothing, a look at the unique names decides; an attempt that failed is
// repeated under the same name, so that a late execution of the first is the success of the second.
Renewal Renewer::renew_writer(Marker& marker) {
  const Instant sent = Instant::now(*site_.clock);
  if (!next_) {
    next_ = new_id(site_);
    first_sent_ = sent;
  }
  const std::string renewed = in_writer(next_->text());
  const fs::Result swapped = site_.directory->rename(marker.path(), renewed);
  fs::Result looked;
  if (swapped.ok() || stands(renewed, looked)) {
    marker.become(*next_, renewed, swapped.ok() ? sent : first_sent_);
    return settled(marker);
  }
  trouble_ = swapped.absent() ? looked : swapped;
  if (!swapped.absent() || !looked.absent()) return Renewal::failed;
  return stands(marker.path(), looked) || !looked.absent() ? Renewal::failed : Renewal::lost;
}

// The new marker is published, then this client looks for a writer as in an acquire, then the old one goes; whether it
// still stood decides. Without the look a writer that is listing readers/ at this moment could miss both: the new one
// because the listing was past its place, the old one because it had not come to it yet. Whoever claims after the look
// lists after the new one was published; whoever claimed before cannot have passed the old one.
Renewal Renewer::renew_reader(Marker& marker) {
  Marker next(site_, new_id(site_));
  const Instant sent = Instant::now(*site_.clock);
  fs::Result looked;
  trouble_ = publish_reader(site_, next);
  if (!trouble_.ok()) {
    return stands(marker.path(), looked) || !looked.absent() ? Renewal::failed : Renewal::lost;
  }
  const bool claimed = writer_may_stand();
  const fs::Result removed = claimed ? fs::Result(EBUSY) : site_.directory->remove(marker.path());
  if (removed.ok()) {
    marker.become(next.id(), next.path(), sent);
    return settled(marker);
  }
  // Not knowing whether the old one was there is not having it. If it was, the next try will tell. (A handle that is
  // stale for once says nothing about the entry.)
  static_cast<void>(remove_entry(site_, next.path()));
  if (removed.error() == ENOENT) return Renewal::lost;
  if (!claimed) trouble_ = removed;
  // The writer that stands may have evicted it already.
  return stands(marker.path(), looked) || looked.error() != ENOENT ? Renewal::failed : Renewal::lost;
}

// Right after an own change of the lock directory. Not knowing is not the same as no.
bool Renewer::writer_may_stand() const {
  std::vector<fs::Entry> entries;
  if (!site_.directory->list_lasting("", entries).ok()) return true;
  return std::any_of(entries.begin(), entries.end(), [](const fs::Entry& e) { return e.name == writer_name; });
}

bool Renewer::give_back(const Marker& marker) {
  const bool stood = release_marker(site_, marker);
  if (!next_) return stood;
  // A swap whose outcome is unknown: the old name went first, so one that is carried out late finds nothing to swap.
  static_cast<void>(remove_entry(site_, in_writer(next_->text())));
  static_cast<void>(remove_directory_entry(site_, writer_name));
  next_.reset();
  return stood;
}

// A swap whose reply took longer than the lease has to be done once more.
Renewal Renewer::settled(const Marker& marker) {
  next_.reset();
  return marker.validity().in_force(*site_.clock) ? Renewal::renewed : Renewal::failed;
}

bool Renewer::stands(const std::string& path, fs::Result& result) const {
  fs::Attributes ignored;
  result = site_.directory->look(path, ignored);
  return result.ok();
}

std::optional<Marker> swap_writer_for_reader(const Site& site, const Marker& writer) {
  Marker reader(site, new_id(site));
  const fs::Result published = publish_reader(site, reader);
  if (!published.ok()) fail("publishing marker in", site.readers_path(), published);
  if (!writer.validity().in_force(*site.clock)) {
    static_cast<void>(remove_entry(site, reader.path()));
    return std::nullopt;
  }
  if (release_marker(site, writer)) return reader;
  // Somebody removed the write lease's marker, so another writer may have come before ours was published.
  static_cast<void>(remove_entry(site, reader.path()));
  return std::nullopt;
}

}  // namespace rwlease::protocol
