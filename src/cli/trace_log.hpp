// Event logs as the library writes them where RWLEASE_TRACE is set; src/runtime/trace.hpp describes the form.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace rwlease::cli {

struct TraceEvent {
  std::string name;  // "wait", "blocked", "held", "gave-up", "suspended", "renewed", "lost", "downgraded", "released"
  std::int64_t from = 0;  // ns, by CLOCK_BOOTTIME of its host, before what happened
  std::int64_t to = 0;    // and after it
  std::string thread;
  std::map<std::string, std::string> words;

  // Empty where there is none.
  std::string word(const std::string& key) const;
};

struct TraceLog {
  std::string host;
  std::string pid;
  std::string boot;  // of its host's kernel: logs of one boot have one clock
  std::string job;
  std::int64_t ahead = 0;  // by how much its host's wall clock is ahead of the clock in the events
  std::vector<TraceEvent> events;
  bool cut_off = false;  // it ends in the middle of a line, which is left out
};

// It ends before its first line does: its process had no time, or no space, to write one.
class UnbegunTrace : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Lines that it cannot read are left out. Throws UnbegunTrace; std::runtime_error where the first line says that it is
// no such log. Both name `source`.
TraceLog read_trace(std::istream& stream, const std::string& source);

struct ReadTraces {
  std::vector<TraceLog> logs;
  std::vector<std::string> notes;     // what was left out, as processes leave it that were killed
  std::vector<std::string> troubles;  // what could not be read, or is no log
};

// Each path is a log, or a directory with logs in it. One that cannot be read does not hide the others.
ReadTraces read_traces(const std::vector<std::string>& paths);

}  // namespace rwlease::cli
