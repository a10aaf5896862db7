// What traces of many processes tell together.
#pragma once

#include "trace_alignment.hpp"
#include "trace_log.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

// One acquire and what came of it. Times are ns by the clock that all share after the alignment; in those that say so,
// of the first event.
struct Tenure {
  std::size_t log = 0;  // which of the logs
  std::string thread;
  std::string lock;
  std::string mode;
  std::string label;
  std::uint64_t fence = 0;
  std::string outcome;  // "released", "lost", "downgraded", "gave up"; empty: the log ends before
  std::int64_t waited_from = 0;
  std::optional<std::int64_t> claimed_at;  // a writer that then waited for readers
  std::optional<std::int64_t> held_from;
  std::optional<std::int64_t> ended_at;
  std::vector<std::size_t> after;  // tenures that it waited for, in order
};

struct Moment {
  std::int64_t at = 0;
  std::size_t tenure = 0;
  std::string what;
};

struct Story {
  std::vector<TraceLog> logs;
  std::vector<Tenure> tenures;
  std::vector<Moment> moments;  // in order
  std::int64_t begin = 0;       // of the first moment
  std::int64_t end = 0;         // of the last
  std::vector<std::string> notes;
};

Story tell(std::vector<TraceLog> logs);

// A line for each moment: seconds since the beginning, process, lock, what happened. Made printable.
std::string timeline_text(const Story& story);

// For chrome://tracing and ui.perfetto.dev: processes with their threads, waits and holds as slices, with arrows from a
// release to the grants that waited for it.
std::string chrome_json(const Story& story);

}  // namespace rwlease::cli
