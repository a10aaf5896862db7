#include "protocol/read_attempt.hpp"

#include "protocol/failure.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::protocol {

std::unique_ptr<Attempt> make_read_attempt(const Site& site) { return std::make_unique<ReadAttempt>(site); }

ReadAttempt::~ReadAttempt() { withdraw(); }

Progress ReadAttempt::step() {
  // A gate that opens and is closed again before we are through it: two turns, then poll like everybody.
  constexpr int turns = 2;
  for (int i = 0; i < turns; ++i) {
    if (waiting_ && !gate_.open()) return Progress::wait;
    waiting_ = true;
    publish();
    const bool stands = writer_stands();
    // A long stop between publishing and looking: the marker may have been evicted meanwhile.
    if (!stands && marker_->validity().in_force(*site_.clock)) return Progress::held;
    withdraw();
  }
  return Progress::wait;
}

Grant ReadAttempt::take() {
  Grant grant{std::move(*marker_), 0, {}};
  marker_.reset();
  return grant;
}

void ReadAttempt::publish() {
  marker_.emplace(site_, new_id(site_));
  const fs::Result result = publish_reader(site_, *marker_);
  if (result.ok()) return;
  marker_.reset();
  fail("publishing marker in", site_.readers_path(), result);
}

bool ReadAttempt::writer_stands() {
  try {
    const auto entries = list_lock_directory(site_);
    return std::any_of(entries.begin(), entries.end(), [](const fs::Entry& e) { return e.name == writer_name; });
  } catch (...) {
    withdraw();
    throw;
  }
}

void ReadAttempt::withdraw() noexcept {
  if (!marker_) return;
  const fs::Result result = remove_entry(site_, marker_->path());
  if (!result.ok()) site_.say(Severity::warning, "withdrawing from " + site_.readers_path() + ": " + result.text());
  marker_.reset();
}

fs::Result publish_reader(const Site& site, Marker& marker) {
  const std::string hidden = hidden_prefix + marker.name();
  const std::string published = in_readers(marker.name());
  fs::Result result = marker.create(site, hidden);
  if (result.ok()) result = site.directory->rename(hidden, published);
  if (result.ok()) {
    marker.moved_to(published);
    return result;
  }
  // First the source: then a rename that the server carries out late finds nothing to move.
  for (const std::string& path : {hidden, published}) {
    const fs::Result removed = remove_entry(site, path);
    if (!removed.ok()) site.say(Severity::warning, "withdrawing from " + site.readers_path() + ": " + removed.text());
  }
  return result;
}

std::vector<fs::Entry> list_lock_directory(const Site& site) {
  std::vector<fs::Entry> entries;
  const fs::Result result = site.directory->list_lasting("", entries);
  if (!result.ok()) fail("listing", site.directory->path(), result);
  const bool whole =
      std::any_of(entries.begin(), entries.end(), [](const fs::Entry& e) { return e.name == readers_name; });
  if (!whole) throw DirectoryGone("listing", site.directory->path(), "the lock directory was removed");
  return entries;
}

}  // namespace rwlease::protocol
