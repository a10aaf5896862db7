#include "status_text.hpp"

#include "duration.hpp"
#include "output.hpp"
#include "refusal_text.hpp"
#include "standing.hpp"
#include "status_summary.hpp"
#include "table.hpp"

namespace rwlease::cli {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string age_text(TimePoint when, TimePoint now) {
  if (when == TimePoint{}) return {};
  return to_text(std::chrono::duration_cast<std::chrono::seconds>(age(when, now)));
}

std::string number(long value) { return value == 0 ? std::string() : std::to_string(value); }

// As Slurm writes it: "4711_3.0" is step 0 of task 3. A name that is not Slurm's own stays as it is.
std::string job_text(const Participant& participant) {
  const bool is_slurms = participant.job.find_first_not_of("0123456789_") == std::string::npos;
  const bool has_step = is_slurms && !participant.job.empty() && !participant.batch.step.empty();
  return has_step ? participant.job + '.' + participant.batch.step : participant.job;
}

std::string coloured(Standing standing, const Palette& palette) {
  std::string word = to_string(standing);
  switch (standing) {
    case Standing::alive:
      return palette.good(word);
    case Standing::suspect:
      return palette.doubtful(word);
    case Standing::dead:
      return palette.bad(word);
    case Standing::unknown:
      break;
  }
  return word;
}

std::string judgement_text(const Participant& participant, TimePoint now, const Palette& palette) {
  const Judgement judgement = judge(participant, now);
  const std::string text = coloured(judgement.standing, palette);
  return judgement.why.empty() ? text : text + ": " + printable(judgement.why);
}

std::vector<std::string> heading() {
  return {"MODE",  "PHASE",     "HOST",  "PID",   "USER",  "JOB", "RANKS",
          "SINCE", "HEARTBEAT", "LEASE", "STATE", "LABEL", "ID"};
}

std::vector<std::string> row(const Participant& participant, TimePoint now, const Palette& palette) {
  return {std::string(to_string(participant.mode)),
          std::string(to_string(participant.phase)),
          printable(participant.host),
          number(participant.pid),
          participant.uid ? printable(user_name(*participant.uid)) : "",
          printable(job_text(participant)),
          participant.ranks > 1 ? std::to_string(participant.ranks) : "",
          age_text(participant.since, now),
          age_text(participant.last_heartbeat, now),
          participant.lease.count() == 0 ? "" : to_text(participant.lease),
          judgement_text(participant, now, palette),
          printable(participant.label),
          printable(participant.id)};
}

std::string holders(const StatusSummary& summary) {
  if (summary.writers > 0) return "held by a writer";
  if (summary.readers > 0) return "held by " + counted(summary.readers, "reader");
  return summary.claimed ? "claimed by a writer" : "free";
}

std::string summary_line(const std::string& path, const Status& status, const Palette& palette) {
  const StatusSummary summary = summarize(status);
  std::string line = palette.strong(printable(path)) + ": " + holders(summary);
  if (summary.claimed && summary.readers > 0) line += ", a writer waits for them to leave";
  if (summary.waiting_writers > 0) line += ", " + counted(summary.waiting_writers, "writer") + " in line";
  if (!status.refusal.cause.empty()) line += ", but 'rwlease run' refuses it";
  if (!status.exists) line += " (not used yet)";
  if (status.fence != 0) line += " (fence " + std::to_string(status.fence) + ")";
  return line + '\n';
}

std::string neighbour_lines(const Status& status, const Palette& palette) {
  std::string lines;
  for (const std::string& neighbour : status.neighbours) {
    lines += palette.doubtful("warning:") + " " + printable(neighbour) +
             " belongs to another lock program, which does not see these leases\n";
  }
  return lines;
}

std::string refusal_line(const Status& status, const Palette& palette) {
  const std::string text = refusal_text(status);
  return text.empty() ? "" : palette.bad("refused:") + " " + printable(text) + '\n';
}

}  // namespace

std::string status_text(const std::string& path, const Status& status, TimePoint now, const Palette& palette) {
  std::string text = summary_line(path, status, palette);
  if (!status.participants.empty()) {
    std::vector<std::vector<std::string>> rows{heading()};
    for (const Participant& participant : status.participants) rows.push_back(row(participant, now, palette));
    text += table(rows);
  }
  return text + refusal_line(status, palette) + neighbour_lines(status, palette);
}

}  // namespace rwlease::cli
