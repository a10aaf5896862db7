// What a lock's file says about its owner.
#pragma once

#include "protocol/names.hpp"
#include "softlock/scene.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace rwlease::softlock {

// The record of an owner of ours; else what other programs write, as far as they write anything.
struct Content {
  enum class Kind { unknown, record, pid_file, nfslock };

  Kind kind = Kind::unknown;
  bool read = false;  // whatever it says, it could be read
  std::optional<protocol::Record> record;
  std::string host;          // nfslock
  long pid = 0;              // pid_file, nfslock; and of a record with a pid line
  std::int64_t since_s = 0;  // nfslock

  // Never throws but for lack of memory. Lines: a pid by itself, a record, "HOST PID TIME RANDOM".
  static Content parse(std::string_view text);
};

// More than a record and a pid line are never read.
inline constexpr std::size_t longest_content = protocol::longest_record + 32;

// What this owner writes: its record in one line, with single_host after a line with its pid.
std::string content_text(const Scene& scene, const protocol::MarkerId& id);

// The file server's clock, by a file made for it: two hosts' clocks are never compared. Nothing where none can be made.
std::optional<Nanoseconds> server_time(const Scene& scene);

// A fresh id; its lease is what the name can say.
protocol::MarkerId fresh_id(const Scene& scene);

}  // namespace rwlease::softlock
