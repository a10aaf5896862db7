// A marker that the self-test makes by the on-disk protocol itself, so that it can let it die.
#pragma once

#include "file_calls.hpp"

#include <rwlease/lease.hpp>

#include <chrono>
#include <string>

namespace rwlease::selftest {

// Stands in an existing lock directory like that of a holder on a host of its own: nobody can prove anything about its
// process, so its lease must be waited out.
class PlayedMarker {
 public:
  // Throws Error.
  PlayedMarker(const std::string& lock_directory, Mode mode, std::chrono::milliseconds lease, MarkerKind kind);

  // Throws Error.
  void beat() const;

  bool gone() const;

 private:
  void publish_reader(const std::string& id, const std::string& record);
  void publish_writer(const std::string& id, const std::string& record);

  Folder directory_;
  std::string path_;
};

}  // namespace rwlease::selftest
