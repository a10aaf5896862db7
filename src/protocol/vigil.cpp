#include "protocol/vigil.hpp"

#include "protocol/fence.hpp"
#include "protocol/survey.hpp"

#include <algorithm>
#include <utility>

namespace rwlease::protocol {

Vigil::Vigil(fs::FileSystem& file_system, std::string path, const Site& site)
    : file_system_(file_system), path_(std::move(path)), site_(site) {
  site_.ledger = &ledger_;
}

// Anew each time: it may have been removed, and made again.
bool Vigil::open() {
  observer_.reset();
  opened_ = open_to_read(file_system_, path_);
  if (!opened_) return false;
  site_.directory = opened_.get();
  observer_.emplace(site_);
  return true;
}

bool Vigil::is_free() {
  drop_those_who_left();
  if (!standing_.empty()) return false;
  if (!open()) return true;
  list_all();
  return standing_.empty();
}

// One look at the first that is left is a poll; all are looked at often enough for the observer's window.
void Vigil::drop_those_who_left() {
  if (standing_.empty()) return;
  const auto left = [this](const std::string& path) { return !observer_->stands(path); };
  const Nanoseconds now = site_.clock->boot();
  if (now < look_at_all_) {
    standing_.erase(standing_.begin(), std::find_if_not(standing_.begin(), standing_.end(), left));
    return;
  }
  standing_.erase(std::remove_if(standing_.begin(), standing_.end(), left), standing_.end());
  look_at_all_ = now + site_.terms.lease;
  for (const std::string& path : standing_) look_at_all_ = std::min(look_at_all_, now + observer_->pace(path));
}

// A listing shows those who have not left, the dead among them.
void Vigil::list_all() {
  look_at_all_ = Nanoseconds(0);
  add(writer_name);
  add(readers_name);
  drop_those_who_left();
}

void Vigil::add(const std::string& directory) {
  fs::Attributes attributes;
  const bool foreign = opened_->look(directory, attributes).ok() && attributes.type != fs::Type::directory;
  if (foreign) return standing_.push_back(directory);
  for (const fs::Entry& entry : list_by_looking(*opened_, directory)) {
    if (directory == writer_name || counts_as_reader(entry.name)) standing_.push_back(directory + "/" + entry.name);
  }
}

Attempt::Awaited Vigil::awaited() const {
  if (standing_.empty()) return {"", ""};
  const std::string& first = standing_.front();
  const std::string_view name = base_name(first);
  const std::size_t directory = first.size() - name.size();
  return {directory == 0 ? "" : first.substr(0, directory - 1), std::string(name)};
}

std::uint64_t Vigil::fence() {
  // Two changes in one tick of the server's clock leave the same stamp; the longest tick is a second.
  constexpr std::chrono::seconds longer_than_a_tick{2};
  fs::Attributes readers;
  const bool looked = opened_ && opened_->look(readers_name, readers).ok();
  const bool unchanged = looked && readers_stamp_ && readers.stamp == *readers_stamp_;
  const Nanoseconds now = site_.clock->boot();
  if (unchanged && listed_ - stamp_seen_ > longer_than_a_tick) return fence_;
  if (!unchanged) stamp_seen_ = now;
  if (!looked && !open()) return 0;
  readers_stamp_.reset();
  if (looked) readers_stamp_ = readers.stamp;
  fence_ = newest_fence(list_by_looking(*opened_, readers_name));
  listed_ = now;
  return fence_;
}

}  // namespace rwlease::protocol
