#include "runtime/slot.hpp"

#include "protocol/names.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace rwlease::runtime {
namespace {

std::atomic<Slot*> first{nullptr};
std::atomic<pid_t> owner{0};

}  // namespace

Slot* Slot::take() {
  owner.store(::getpid());
  for (Slot* slot = first.load(); slot != nullptr; slot = slot->next_) {
    bool expected = false;
    if (slot->used_.compare_exchange_strong(expected, true)) {
      slot->status.store(HoldStatus::active);
      return slot;
    }
  }
  auto* slot = new Slot;
  slot->next_ = first.load();
  while (!first.compare_exchange_weak(slot->next_, slot)) {
  }
  return slot;
}

void Slot::give_back() noexcept {
  disarm();
  used_.store(false);
}

void Slot::arm(int directory, const std::string& path, bool writes) noexcept {
  disarm();
  if (directory < 0 || path.size() >= path_.size()) return;
  directory_ = directory;
  writes_ = writes;
  std::memcpy(path_.data(), path.c_str(), path.size() + 1);
  armed_.store(true);
}

void Slot::end_all() noexcept {
  // A child made without fork handlers (vfork, clone) may run this handler: what it sees is its parent's.
  if (owner.load() != ::getpid()) return;
  for (Slot* slot = first.load(); slot != nullptr; slot = slot->next_) slot->end();
}

void Slot::disarm() noexcept {
  armed_.store(false);
  arming_.fetch_add(1);
}

void Slot::end() noexcept {
  const unsigned before = arming_.load();
  if (!armed_.load()) return;
  const auto path = path_;
  const int directory = directory_;
  const bool writes = writes_;
  if (arming_.load() != before) return;
  status.store(HoldStatus::released);
  ::unlinkat(directory, path.data(), 0);
  if (writes) ::unlinkat(directory, protocol::writer_name, AT_REMOVEDIR);
}

void Slot::forget_all() noexcept { first.store(nullptr); }

}  // namespace rwlease::runtime
