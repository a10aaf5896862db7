#include "output.hpp"
#include "table.hpp"
#include "trace_story.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace rwlease::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string since_begin(std::int64_t ns) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.6f", static_cast<double>(ns) / 1e9);
  return text.data();
}

std::string name_of(const TraceLog& log) {
  std::string name = log.host + '.' + log.pid;
  return log.job.empty() ? name : name + " job " + log.job;
}

class Chrome {
 public:
  explicit Chrome(const Story& story) : story_(story) {}

  std::string text() {
    for (std::size_t log = 0; log < story_.logs.size(); ++log) name_process(log);
    for (std::size_t which = 0; which < story_.tenures.size(); ++which) draw(which);
    Json json;
    json["displayTimeUnit"] = "ms";
    json["otherData"] = {{"notes", story_.notes}};
    json["traceEvents"] = std::move(events_);
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
  }

 private:
  double microseconds(std::int64_t at) const { return static_cast<double>(at - story_.begin) / 1e3; }

  Json event(const char* phase, const std::string& name, const Tenure& tenure, std::int64_t at) const {
    return {
        {"ph", phase},           {"name", name}, {"cat", "lease"}, {"pid", tenure.log + 1}, {"tid", thread_of(tenure)},
        {"ts", microseconds(at)}};
  }

  static std::uint64_t thread_of(const Tenure& tenure) {
    return tenure.thread.empty() ? 0 : std::strtoull(tenure.thread.c_str(), nullptr, 10);
  }

  void name_process(std::size_t log) {
    events_.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", log + 1}, {"args", {{"name", name_of(story_.logs[log])}}}});
  }

  void slice(const Tenure& tenure, const std::string& name, std::int64_t from, std::int64_t to) {
    Json json = event("X", name, tenure, from);
    json["dur"] = microseconds(to) - microseconds(from);
    json["args"] = {
        {"lock", tenure.lock}, {"label", tenure.label}, {"fence", tenure.fence}, {"outcome", tenure.outcome}};
    events_.push_back(std::move(json));
  }

  void draw(std::size_t which) {
    const Tenure& tenure = story_.tenures[which];
    const std::int64_t end = tenure.ended_at.value_or(story_.end);
    const std::int64_t in = tenure.held_from.value_or(end);
    if (in > tenure.waited_from) slice(tenure, "wait to " + tenure.mode, tenure.waited_from, in);
    if (tenure.claimed_at) slice(tenure, "drain", *tenure.claimed_at, in);
    if (!tenure.held_from) return;
    slice(tenure, tenure.mode, in, end);
    for (const std::size_t other : tenure.after) arrow(story_.tenures[other], tenure);
  }

  void arrow(const Tenure& from, const Tenure& to) {
    if (!from.ended_at || !from.held_from) return;
    Json begin = event("s", "hand over", from, *from.ended_at);
    Json end = event("f", "hand over", to, *to.held_from);
    begin["id"] = end["id"] = ++arrows_;
    end["bp"] = "e";
    events_.push_back(std::move(begin));
    events_.push_back(std::move(end));
  }

  const Story& story_;
  Json events_ = Json::array();
  int arrows_ = 0;
};

}  // namespace

std::string timeline_text(const Story& story) {
  std::vector<std::vector<std::string>> rows{{"SECONDS", "PROCESS", "LOCK", "WHAT"}};
  for (const Moment& moment : story.moments) {
    const Tenure& tenure = story.tenures[moment.tenure];
    rows.push_back({since_begin(moment.at - story.begin), printable(name_of(story.logs[tenure.log])),
                    printable(tenure.lock), printable(moment.what)});
  }
  std::string text = story.moments.empty() ? "" : table(rows);
  for (const std::string& note : story.notes) text += "note: " + printable(note) + '\n';
  return text;
}

std::string chrome_json(const Story& story) { return Chrome(story).text(); }

}  // namespace rwlease::cli
