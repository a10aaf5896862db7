// The names that the protocol gives to directory entries.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rwlease::protocol {

inline constexpr char directory_suffix[] = ".rwlease";
inline constexpr char readers_name[] = "readers";
inline constexpr char writer_name[] = "writer";
inline constexpr char hidden_prefix[] = ".";    // a reader's marker before it is published, in the lock directory
inline constexpr char claim_prefix[] = ".w.";   // a writer's claim in preparation, in readers/
inline constexpr char change_prefix[] = ".o.";  // made and removed for the sake of changing a directory
inline constexpr char probe_prefix[] = ".p.";   // made and removed to see whether symlinks work here
inline constexpr char fence_prefix[] = ".f.";   // the newest write lease's number, in readers/

// No lease is longer; a name that says so was made by nobody that we know.
inline constexpr std::chrono::milliseconds longest_lease = std::chrono::hours(24);

// host.pid.lease.token: the name of one acquisition's marker, never used twice. The lease is in the name so that an
// observer who cannot read the record still waits long enough.
struct MarkerId {
  std::string host;  // letters, digits and '-', at most 64
  long pid = 0;
  std::chrono::milliseconds lease{0};
  std::string token;  // 32 lower-case hex digits

  std::string text() const;

  // What logs and messages may show: host.pid.
  std::string shown() const;

  static std::optional<MarkerId> parse(std::string_view text);
};

// A host name as it may stand in an id: other bytes replaced by '-', cut to 64, "unnamed" when empty.
std::string clean_host(std::string_view host);

// The number of .f.<N>; nothing for any other name.
std::optional<std::uint64_t> fence_number(std::string_view entry);
std::string fence_path(std::uint64_t number);  // relative to the lock directory

// What may stand in readers/ without being a reader: claims in preparation, own changes, fences.
bool counts_as_reader(std::string_view entry);

// An entry's name without prefix and token, with control bytes replaced, for messages: "node07.4711".
std::string shown_name(std::string_view entry);

// The id inside a hidden entry's name; the name itself for any other.
std::string_view without_prefix(std::string_view entry);

// Paths relative to the lock directory.
std::string in_readers(std::string_view entry);
std::string in_writer(std::string_view entry);
bool is_in_writer(std::string_view path) noexcept;

// 32 lower-case hex digits.
bool is_token(std::string_view text);

bool starts_with(std::string_view text, std::string_view prefix) noexcept;

}  // namespace rwlease::protocol
