#include "status_text.hpp"

#include "duration.hpp"
#include "output.hpp"
#include "status_summary.hpp"
#include "table.hpp"

#include <algorithm>

namespace rwlease::cli {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// The clocks of hosts and file servers differ; what would lie in the future is now.
std::string age(TimePoint when, TimePoint now) {
  if (when == TimePoint{}) return {};
  return to_text(std::max(std::chrono::duration_cast<std::chrono::seconds>(now - when), std::chrono::seconds(0)));
}

std::string number(long value) { return value == 0 ? std::string() : std::to_string(value); }

std::string liveness(const Participant& participant) {
  std::string text(to_string(participant.liveness));
  return participant.why.empty() ? text : text + ": " + printable(participant.why);
}

std::vector<std::string> heading() {
  return {"MODE",  "PHASE",     "HOST",  "PID",   "USER",  "JOB",  "RANKS",
          "SINCE", "HEARTBEAT", "LEASE", "STATE", "LABEL", "ENTRY"};
}

std::vector<std::string> row(const Participant& participant, TimePoint now) {
  // A record that says who it is needs no file name besides.
  const bool is_known = participant.readable && participant.phase != Phase::foreign && !participant.host.empty();
  return {std::string(to_string(participant.mode)),
          std::string(to_string(participant.phase)),
          printable(participant.host),
          number(participant.pid),
          participant.uid ? printable(user_name(*participant.uid)) : "",
          printable(participant.job),
          participant.ranks > 1 ? std::to_string(participant.ranks) : "",
          age(participant.since, now),
          age(participant.last_heartbeat, now),
          participant.lease.count() == 0 ? "" : to_text(participant.lease),
          liveness(participant),
          printable(participant.label),
          is_known ? "" : printable(participant.name)};
}

std::string holders(const StatusSummary& summary) {
  if (summary.writers > 0) return "held by a writer";
  if (summary.readers > 0) return "held by " + counted(summary.readers, "reader");
  return summary.claimed ? "claimed by a writer" : "free";
}

std::string summary_line(const std::string& path, const Status& status) {
  const StatusSummary summary = summarize(status);
  std::string line = printable(path) + ": " + holders(summary);
  if (summary.claimed && summary.readers > 0) line += ", a writer waits for them to leave";
  if (summary.waiting_writers > 0) line += ", " + counted(summary.waiting_writers, "writer") + " in line";
  if (!status.exists) line += " (not used yet)";
  if (status.fence != 0) line += " (fence " + std::to_string(status.fence) + ")";
  return line + '\n';
}

std::string neighbour_lines(const Status& status) {
  std::string lines;
  for (const std::string& neighbour : status.neighbours) {
    lines += "warning: " + printable(neighbour) + " belongs to another lock program, which does not see these leases\n";
  }
  return lines;
}

}  // namespace

std::string status_text(const std::string& path, const Status& status, TimePoint now) {
  std::string text = summary_line(path, status);
  if (!status.participants.empty()) {
    std::vector<std::vector<std::string>> rows{heading()};
    for (const Participant& participant : status.participants) rows.push_back(row(participant, now));
    text += table(rows);
  }
  return text + neighbour_lines(status);
}

}  // namespace rwlease::cli
