#include "fs/entry_watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace rwlease::fs {
namespace {

bool matters(const struct inotify_event& event, const std::string& only) {
  if ((event.mask & (IN_DELETE_SELF | IN_Q_OVERFLOW)) != 0) return true;
  if (event.len == 0) return false;
  return only.empty() ? event.name[0] != '.' : only == event.name;
}

}  // namespace

bool EntryWatch::watch(int directory, const std::string& name, const std::string& only) {
  return start(directory, name, only, Wanted::removals);
}

bool EntryWatch::watch_changes(int directory, const std::string& name) {
  return start(directory, name, "", Wanted::changes);
}

bool EntryWatch::start(int directory, const std::string& name, const std::string& only, Wanted wanted) {
  if (watched_ >= 0 && name == name_ && only == only_ && wanted == wanted_) return false;
  if (directory < 0) return false;
  if (!inotify_.open()) inotify_.reset(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_.open()) return false;
  if (watched_ >= 0) ::inotify_rm_watch(inotify_.get(), watched_);
  // The magic link names the very directory that is open, wherever its path leads by now.
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  const std::uint32_t events = wanted == Wanted::removals ? IN_DELETE : IN_DELETE | IN_CREATE | IN_MOVE;
  watched_ = ::inotify_add_watch(inotify_.get(), path.c_str(), events | IN_DELETE_SELF | IN_ONLYDIR);
  name_ = name;
  only_ = only;
  wanted_ = wanted;
  return watched_ >= 0;
}

Woken EntryWatch::wait(Nanoseconds duration, int cancel_descriptor) {
  const Nanoseconds end = SystemClock().boot() + duration;
  for (Nanoseconds left = duration;; left = end - SystemClock().boot()) {
    left = std::max(left, Nanoseconds(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    struct timespec timeout = {};
    timeout.tv_sec = seconds.count();
    timeout.tv_nsec = (left - seconds).count();
    std::array<struct pollfd, 2> sources = {{{cancel_descriptor, POLLIN, 0}, {inotify_.get(), POLLIN, 0}}};
    if (::ppoll(sources.data(), sources.size(), &timeout, nullptr) <= 0) return Woken::timeout;
    if (sources[0].revents != 0) return Woken::cancelled;
    if (event_seen()) return Woken::change;
  }
}

bool EntryWatch::event_seen() {
  alignas(struct inotify_event) std::array<char, 4096> buffer;
  bool seen = false;
  for (;;) {
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) return seen;
    for (const char* at = buffer.data(); at < buffer.data() + size;) {
      const auto* event = reinterpret_cast<const struct inotify_event*>(at);
      seen = seen || wanted_ == Wanted::changes || matters(*event, only_);
      at += sizeof(struct inotify_event) + event->len;
    }
  }
}

}  // namespace rwlease::fs
