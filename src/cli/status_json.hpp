// A status for programs. docs/status-json.md describes the schema; change both together.
//
//   {"schema": "rwlease-status/1", "path", "directory", "exists", "state": "free" | "claimed" | "read" | "write",
//    "fence", "writer_stands", "participants": [...], "neighbours": [...], "refusal"}
//
// A participant: {"mode", "phase", "host", "pid", "uid", "user", "job", "ranks", "label", "lease_seconds", "since",
// "last_heartbeat", "heartbeat_age_seconds", "sole", "readable", "liveness", "why", "standing", "standing_why",
// "name"}. Every key is always there; what is not known is null. Within schema 1 keys are added, never removed or given
// another meaning.
#pragma once

#include <rwlease/status.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace rwlease::cli {

struct NamedStatus {
  std::string path;  // as it was given
  Status status;
};

// One object, or with `as_array` an array of them; indented, or with `one_line` without a break. ASCII only (all else
// is escaped, so control bytes never come out raw), with a newline at the end. What is not UTF-8 becomes U+FFFD.
struct JsonForm {
  bool as_array = false;
  bool one_line = false;
};

// Without as_array exactly one status.
std::string status_json(const std::vector<NamedStatus>& statuses, std::chrono::system_clock::time_point now,
                        const JsonForm& form = {});

}  // namespace rwlease::cli
