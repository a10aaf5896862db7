// What a marker says about its holder: one line of key=value words.
#pragma once

#include "fs/host.hpp"

#include <rwlease/batch_job.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace rwlease::protocol {

inline constexpr std::size_t longest_record = 1024;

// "rwlease/1 token=… pid=… host=… lease=90 …". Written in full before the marker is published. Everything read from
// one is somebody's word: it is shown, and it can prove a death on this host, but presence goes by names alone.
struct Record {
  std::string token;
  std::string host;
  std::chrono::milliseconds lease{0};
  fs::ProcessIdentity process;
  uid_t uid = 0;
  bool sole = false;
  pid_t process_group = 0;
  int ranks = 1;
  std::chrono::milliseconds since{0};  // since the epoch, by the holder's clock
  std::string job;
  BatchJob batch;
  std::string label;

  // Bytes that could end a word are written as %XX.
  std::string text() const;

  // Never throws on any input but for lack of memory. Nothing when the text is too long, of another version, or lacks
  // a valid token or pid; unknown words are ignored.
  static std::optional<Record> parse(std::string_view text);
};

}  // namespace rwlease::protocol
