// Waiting until a running program is at work in a directory.
#pragma once

#include "program.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

namespace rwlease::test {

// What happens in the directory from the construction on: that something is made there, unless told otherwise.
class Arrival {
 public:
  explicit Arrival(const std::filesystem::path& directory, std::uint32_t events = IN_CREATE | IN_MOVED_TO)
      : inotify_(::inotify_init1(IN_CLOEXEC)) {
    if (::inotify_add_watch(inotify_, directory.c_str(), events) == -1) {
      throw std::runtime_error("cannot watch " + directory.string());
    }
  }
  ~Arrival() { ::close(inotify_); }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

  void await() const {
    pollfd source{inotify_, POLLIN, 0};
    if (::poll(&source, 1, static_cast<int>(std::chrono::milliseconds(soon).count())) == 1) return;
    throw std::runtime_error("nothing happened");
  }

 private:
  int inotify_;
};

}  // namespace rwlease::test
