#include "protocol/breaking.hpp"

#include "protocol/failure.hpp"
#include "protocol/marker.hpp"
#include "protocol/read_attempt.hpp"

#include <algorithm>
#include <utility>

namespace rwlease::protocol {
namespace {

// From when the blocking entry is made to when the victim's is gone.
constexpr std::chrono::seconds slack = 10 * pause_for_listings;

Nanoseconds lease_of(const std::string& path, const std::optional<Record>& record, Nanoseconds otherwise) {
  const auto id = MarkerId::parse(without_prefix(base_name(path)));
  if (!id) return otherwise;
  Nanoseconds lease = id->lease;
  if (record) lease = std::max<Nanoseconds>(lease, record->lease);
  return lease;
}

}  // namespace

bool Breaker::block(const std::string& path) {
  fs::Attributes attributes;
  const fs::Result looked = site_.directory->look(path, attributes);
  if (looked.absent()) return false;
  if (!looked.ok()) fail("looking at", site_.directory->path(), looked);
  Block block;
  block.victim = path;
  block.record = observer_.record(path, attributes);
  block.lease = lease_of(path, block.record, site_.terms.lease);
  block.path = make_block(block);
  if (block.path.empty()) return false;
  blocks_.push_back(std::move(block));
  return true;
}

// Empty when there is no writer any more in whose place it could stand.
std::string Breaker::make_block(Block& block) {
  constexpr const char* operation = "putting an entry in its place in";
  Site site = site_;
  site.terms.lease = std::min<Nanoseconds>(block.lease + slack, longest_lease);
  Record self = *site.self;
  self.lease = std::chrono::duration_cast<std::chrono::milliseconds>(site.terms.lease);
  self.sole = false;
  self.process_group = 0;
  site.self = std::make_shared<const Record>(std::move(self));
  Marker marker(site, new_id(site));
  if (!is_in_writer(block.victim)) {
    const fs::Result published = publish_reader(site, marker);
    if (!published.ok()) fail(operation, site.readers_path(), published);
    return marker.path();
  }
  const fs::Result made = marker.create(site, in_writer(marker.name()));
  if (made.ok()) return marker.path();
  static_cast<void>(remove_entry(site, in_writer(marker.name())));
  if (made.absent()) return {};
  fail(operation, site.directory->path(), made);
}

bool Breaker::remove(const std::string& path) {
  fs::Attributes attributes;
  const fs::Result looked = site_.directory->look(path, attributes);
  fs::Result removed = looked;
  if (looked.ok()) {
    removed = attributes.type == fs::Type::directory ? site_.directory->remove_directory(path)
                                                     : site_.directory->remove(path);
  }
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&path](const Block& b) { return b.victim == path; });
  if (block != blocks_.end()) {
    if (removed.ok() || removed.transient()) {
      block->removed = site_.clock->boot();
    } else {
      take_back(*block);
      blocks_.erase(block);
    }
  } else if (removed.ok() && is_in_writer(path)) {
    static_cast<void>(remove_directory_entry(site_, writer_name));
  }
  if (removed.absent()) return false;
  if (!removed.ok()) fail("removing " + shown_name(base_name(path)) + " from", site_.directory->path(), removed);
  site_.say(Severity::info, "broke " + shown_name(base_name(path)) + " in " + site_.directory->path());
  return true;
}

bool Breaker::may_be_in_force() {
  const Nanoseconds now = site_.clock->boot();
  return std::any_of(blocks_.begin(), blocks_.end(), [this, now](const Block& block) {
    if (block.removed && now >= *block.removed + block.lease) return false;
    return !block.record || check_death(*site_.host, *block.record).state != fs::ProcessState::gone;
  });
}

Nanoseconds Breaker::left() const {
  const Nanoseconds now = site_.clock->boot();
  Nanoseconds longest{0};
  for (const Block& block : blocks_) longest = std::max(longest, block.removed.value_or(now) + block.lease - now);
  return longest;
}

void Breaker::unblock() noexcept {
  for (const Block& block : blocks_) take_back(block);
  blocks_.clear();
}

void Breaker::withdraw() noexcept {
  const auto unused =
      std::partition(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.removed.has_value(); });
  std::for_each(unused, blocks_.end(), [this](const Block& block) { take_back(block); });
  blocks_.erase(unused, blocks_.end());
}

void Breaker::take_back(const Block& block) noexcept {
  static_cast<void>(remove_entry(site_, block.path));
  // Not empty is fine: somebody claims already.
  if (is_in_writer(block.path)) static_cast<void>(remove_directory_entry(site_, writer_name));
}

}  // namespace rwlease::protocol
