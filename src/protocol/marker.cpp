#include "protocol/marker.hpp"

#include <cerrno>

namespace rwlease::protocol {
namespace {

// Absent after an answer that failed is an own removal whose reply was lost. A handle that is stale (ESTALE) says
// nothing about the entry until it stays so.
template <class Call>
fs::Result few_times(Call call) {
  constexpr int tries = 3;
  fs::Result result = call();
  for (int i = 1; i < tries && result.transient(); ++i) {
    result = call();
    if (result.error() == ENOENT) return {};
  }
  return result;
}

fs::Result absent_is_fine(fs::Result result) { return result.absent() ? fs::Result() : result; }

// As the file system answers.
fs::Result make_entry(const Site& site, const MarkerId& id, const std::string& path) {
  const std::string text = record_of(site, id).text();
  return site.marker_kind == MarkerKind::symlink ? site.directory->make_symlink(text, path)
                                                 : site.directory->make_file(text + "\n", path, site.file_mode());
}

}  // namespace

MarkerId new_id(const Site& site) {
  MarkerId id;
  id.host = clean_host(site.self->host);
  id.pid = site.self->process.pid;
  id.lease = std::chrono::duration_cast<std::chrono::milliseconds>(site.terms.lease);
  id.token = site.host->random_token();
  return id;
}

Marker::Marker(const Site& site, MarkerId id)
    : id_(std::move(id)), validity_(std::make_shared<Validity>(site.terms.lease, site.terms.margin)) {}

void Marker::become(MarkerId id, std::string path, const Instant& sent) {
  id_ = std::move(id);
  path_ = std::move(path);
  last_stamp_.reset();
  validity_->start(sent);
}

fs::Result Marker::create(const Site& site, const std::string& path) {
  const Instant before = Instant::now(*site.clock);
  const fs::Result result = make_marker_entry(site, id_, path);
  if (!result.ok()) return result;
  path_ = path;
  validity_->start(before);
  return {};
}

Beat Marker::beat(const Site& site) {
  trouble_ = fs::Result();
  fs::Attributes now;
  if (!last_stamp_) {
    const fs::Result looked = site.directory->look(path_, now);
    if (!looked.ok()) return after_failure(site, looked);
    last_stamp_ = now.stamp;
  }
  const Instant sent = Instant::now(*site.clock);
  const fs::Result touched = site.directory->touch(path_);
  if (!touched.ok()) return after_failure(site, touched);
  // The reply to the touch carried the new time, so this look is answered without the server; when it seems not to
  // have moved, the server decides.
  fs::Result looked = site.directory->glance(path_, now);
  if (looked.ok() && now.stamp == *last_stamp_) looked = site.directory->look(path_, now);
  if (!looked.ok()) return after_failure(site, looked);
  if (now.stamp == *last_stamp_) return Beat::uncounted;
  last_stamp_ = now.stamp;
  return validity_->extend(sent, *site.clock) ? Beat::counted : Beat::uncounted;
}

Beat Marker::after_failure(const Site& site, fs::Result result) {
  // The touch may have been carried out: then the time has moved already, and observers count from there, so it would
  // be no proof for the next touch.
  last_stamp_.reset();
  if (result.absent() && surely_absent(site, path_)) return Beat::gone;
  trouble_ = result;
  return Beat::failed;
}

Record record_of(const Site& site, const MarkerId& id) {
  Record record = *site.self;
  record.token = id.token;
  record.since = std::chrono::duration_cast<std::chrono::milliseconds>(site.clock->real());
  return record;
}

// What exists was made by an own call whose reply was lost. A symlink is whole then. A file may not be written, and
// cannot be made once more: its removal, carried out late, would hit the second.
fs::Result make_marker_entry(const Site& site, const MarkerId& id, const std::string& path) {
  const fs::Result result = make_entry(site, id, path);
  if (result.error() != EEXIST) return result;
  if (site.marker_kind == MarkerKind::file) return fs::Result(EAGAIN);
  fs::Attributes ignored;
  return site.directory->look(path, ignored);
}

Nanoseconds pause_after(Beat beat, const Terms& terms) {
  return beat == Beat::counted ? terms.interval : terms.interval / 8;
}

bool surely_absent(const Site& site, const std::string& path) {
  fs::Attributes ignored;
  const fs::Result first = site.directory->look(path, ignored);
  if (first.error() != ESTALE) return first.absent();
  return site.directory->look(path, ignored).absent();
}

fs::Result remove_entry(const Site& site, const std::string& path) {
  return absent_is_fine(few_times([&] { return site.directory->remove(path); }));
}

fs::Result remove_directory_entry(const Site& site, const std::string& path) {
  return absent_is_fine(few_times([&] { return site.directory->remove_directory(path); }));
}

// A creation asks the server whatever is cached, and one that fails makes the client forget the name. One that does not
// fail is in nobody's way for long, not even when we die here: it is an empty directory.
void forget_name(const Site& site, const std::string& path) {
  if (!site.directory->make_directory(path, site.directory_mode()).ok()) return;
  static_cast<void>(remove_directory_entry(site, path));
}

bool release_marker(const Site& site, const Marker& marker) {
  const fs::Result removed = few_times([&] { return site.directory->remove(marker.path()); });
  if (!removed.ok() && !removed.absent()) {
    site.say(Severity::warning, "releasing " + marker.id().shown() + " in " + site.directory->path() + ": " +
                                    removed.text() + "; others must wait until the lease has passed");
  }
  if (is_in_writer(marker.path())) {
    // Not empty is fine: somebody claims already, or changes the directory for a moment.
    static_cast<void>(remove_directory_entry(site, writer_name));
  }
  return !removed.absent();
}

fs::Result change_directory_itself(const Site& site, const std::string& directory) {
  const MarkerId id = new_id(site);
  const std::string path = directory + "/" + change_prefix + id.text();
  const fs::Result made = make_entry(site, id, path);
  if (made.ok()) return remove_entry(site, path);
  // Only a change that this client has seen succeed voids its view.
  const fs::Result removed = site.directory->remove(path);
  if (removed.ok()) return removed;
  if (removed.transient()) static_cast<void>(remove_entry(site, path));
  return made.error() == EEXIST ? fs::Result(EAGAIN) : made;
}

}  // namespace rwlease::protocol
