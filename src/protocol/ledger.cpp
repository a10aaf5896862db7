#include "protocol/ledger.hpp"

#include <algorithm>
#include <iterator>

namespace rwlease::protocol {
namespace {

constexpr int fewest_looks = 3;
constexpr std::size_t many = 1024;  // entries before it is worth while to forget some

}  // namespace

bool Ledger::observe(const std::string& name, const Look& look, Nanoseconds window) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (watched_.size() > clear_at_) drop_forgotten(look.replied);
  Watched& watched = watched_[name];
  const bool continued =
      watched.looks > 0 && watched.stamp == look.stamp && look.replied - watched.last_reply <= window / 3;
  if (!continued) watched = Watched{look.stamp, look.replied, look.replied, window, 0};
  // A look sent before the first came back says nothing about the time since.
  ++watched.looks;
  watched.window = window;
  watched.last_reply = std::max(watched.last_reply, look.replied);
  return watched.looks >= fewest_looks && look.sent - watched.first_reply >= window;
}

void Ledger::forget(const std::string& name) {
  const std::lock_guard<std::mutex> guard(mutex_);
  watched_.erase(name);
}

std::size_t Ledger::size() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return watched_.size();
}

// Names that nobody looks at any more would start over anyway.
void Ledger::drop_forgotten(Nanoseconds now) {
  for (auto it = watched_.begin(); it != watched_.end();) {
    it = now - it->second.last_reply > it->second.window / 3 ? watched_.erase(it) : std::next(it);
  }
  clear_at_ = std::max(many, 2 * watched_.size());
}

}  // namespace rwlease::protocol
