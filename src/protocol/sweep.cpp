#include "protocol/sweep.hpp"

#include "protocol/marker.hpp"

#include <algorithm>

namespace rwlease::protocol {

void Sweep::add(const std::vector<std::string>& leftovers) { leftovers_.insert(leftovers.begin(), leftovers.end()); }

// Leftovers may be missed when this client's view is old; another writer will see them.
void Sweep::add_from_lock_directory() {
  std::vector<fs::Entry> entries;
  if (!site_.directory->list_lasting("", entries).ok()) return;
  for (const fs::Entry& entry : entries) {
    if (entry.hidden()) leftovers_.insert(entry.name);
  }
}

bool Sweep::look() {
  constexpr int looks_at_once = 16;
  auto next = leftovers_.upper_bound(last_);
  for (int i = 0; i < looks_at_once && next != leftovers_.end(); ++i) {
    last_ = *next;
    next = done_with(last_) ? leftovers_.erase(next) : std::next(next);
  }
  if (next == leftovers_.end()) last_.clear();
  return !leftovers_.empty();
}

Nanoseconds Sweep::pace() const {
  if (!last_.empty()) return Nanoseconds(0);
  Nanoseconds pace = site_.terms.interval;
  for (const std::string& path : leftovers_) pace = std::min(pace, observer_.pace(path));
  return pace;
}

// A claim in preparation is a directory with the marker in it: the marker goes first, and by the owner's own lease.
bool Sweep::done_with(const std::string& path) {
  const std::string_view name = base_name(path);
  if (starts_with(name, claim_prefix)) {
    const std::string marker = path + "/" + std::string(without_prefix(name));
    switch (observer_.inspect(marker)) {
      case Finding::present:
        return false;
      case Finding::evicted:
        return remove_directory_entry(site_, path).ok();
      case Finding::gone:
        break;  // its owner may be about to make it
    }
  }
  return observer_.inspect(path) != Finding::present;
}

}  // namespace rwlease::protocol
