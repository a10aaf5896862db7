#include "status_json.hpp"

#include "refusal_text.hpp"
#include "standing.hpp"
#include "status_summary.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>

namespace rwlease::cli {
namespace {

// Keeps the order of keys: people read it too.
using Json = nlohmann::ordered_json;
using TimePoint = std::chrono::system_clock::time_point;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <class Number>
Json number_or_null(Number number) {
  return number == 0 ? Json() : Json(number);
}

// "2026-11-30T13:54:04.123Z"
Json time_or_null(TimePoint when) {
  if (when == TimePoint{}) return {};
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(when.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(ms);
  const std::time_t whole = seconds.count();
  std::tm parts{};
  if (::gmtime_r(&whole, &parts) == nullptr) return {};
  char date[64];
  char text[80];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>((ms - seconds).count()));
  return text;
}

Json age_or_null(TimePoint when, TimePoint now) {
  if (when == TimePoint{}) return {};
  return static_cast<double>(age(when, now).count()) / 1000.0;
}

Json seconds_or_null(std::chrono::milliseconds duration) {
  if (duration.count() == 0) return {};
  return static_cast<double>(duration.count()) / 1000.0;
}

Json participant_json(const Participant& participant, TimePoint now) {
  Json json;
  json["mode"] = to_string(participant.mode);
  json["phase"] = to_string(participant.phase);
  json["host"] = text_or_null(participant.host);
  json["pid"] = number_or_null(participant.pid);
  json["uid"] = participant.uid ? Json(*participant.uid) : Json();
  json["user"] = participant.uid ? Json(user_name(*participant.uid)) : Json();
  json["job"] = text_or_null(participant.job);
  json["cluster"] = text_or_null(participant.batch.cluster);
  json["step"] = text_or_null(participant.batch.step);
  json["node"] = text_or_null(participant.batch.node);
  json["ranks"] = number_or_null(participant.ranks);
  json["label"] = text_or_null(participant.label);
  json["lease_seconds"] = seconds_or_null(participant.lease);
  json["since"] = time_or_null(participant.since);
  json["last_heartbeat"] = time_or_null(participant.last_heartbeat);
  json["heartbeat_age_seconds"] = age_or_null(participant.last_heartbeat, now);
  json["sole"] = participant.sole;
  json["readable"] = participant.readable;
  json["liveness"] = to_string(participant.liveness);
  json["why"] = text_or_null(participant.why);
  const Judgement judgement = judge(participant, now);
  json["standing"] = to_string(judgement.standing);
  json["standing_why"] = text_or_null(judgement.why);
  json["name"] = participant.name;
  json["id"] = participant.id;
  return json;
}

Json object(const NamedStatus& named, TimePoint now) {
  const Status& status = named.status;
  Json json;
  json["schema"] = "rwlease-status/1";
  json["path"] = named.path;
  json["directory"] = status.directory;
  json["exists"] = status.exists;
  json["state"] = summarize(status).state();
  json["fence"] = status.fence;
  json["writer_stands"] = status.writer_stands;
  json["participants"] = Json::array();
  for (const Participant& participant : status.participants) {
    json["participants"].push_back(participant_json(participant, now));
  }
  json["neighbours"] = status.neighbours;
  json["refusal"] = text_or_null(refusal_text(status));
  return json;
}

Json array(const std::vector<NamedStatus>& statuses, TimePoint now) {
  Json json = Json::array();
  for (const NamedStatus& named : statuses) json.push_back(object(named, now));
  return json;
}

}  // namespace

std::string status_json(const std::vector<NamedStatus>& statuses, TimePoint now, const JsonForm& form) {
  const Json json = form.as_array ? array(statuses, now) : object(statuses.front(), now);
  constexpr bool ascii_only = true;
  return json.dump(form.one_line ? -1 : 2, ' ', ascii_only, Json::error_handler_t::replace) + '\n';
}

}  // namespace rwlease::cli
