#include "probe_report.hpp"

#include <nlohmann/json.hpp>

namespace rwlease::cli {
namespace {

using Json = nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json mount_json(const std::optional<probe::Mount>& mount) {
  if (!mount) return {};
  return {{"point", mount->point}, {"type", mount->type}, {"source", mount->source}, {"options", mount->options}};
}

Json clock_json(const std::optional<probe::ClockOffset>& clock) {
  if (!clock) return {};
  return {{"offset_seconds", clock->seconds}, {"uncertainty_seconds", clock->uncertainty}};
}

Json checks_json(const std::vector<probe::Check>& checks) {
  Json json = Json::array();
  for (const probe::Check& check : checks) {
    json.push_back({{"name", check.name},
                    {"passed", check.passed},
                    {"needed", check.needed},
                    {"observed", text_or_null(check.observed)}});
  }
  return json;
}

Json costs_json(const std::vector<probe::CallCost>& costs) {
  Json json = Json::array();
  for (const probe::CallCost& cost : costs) {
    json.push_back({{"call", cost.call},
                    {"median_seconds", seconds(cost.median)},
                    {"worst_seconds", seconds(cost.worst)},
                    {"requests", cost.requests.empty() ? Json() : Json(cost.requests)}});
  }
  return json;
}

Json directory_json(const probe::DirectoryFindings& found) {
  const bool symlinks = found.time_step.kind == probe::MarkerKind::symlink;
  const bool timed = found.time_step.trouble.empty();
  return {{"directory", found.directory},
          {"mount", mount_json(found.mount)},
          {"markers", symlinks ? "symlinks" : "files"},
          {"time_step_seconds", timed ? Json(seconds(found.time_step.step)) : Json()},
          {"clock", clock_json(found.clock)},
          {"checks", checks_json(found.checks)},
          {"costs", costs_json(found.costs)}};
}

Json freshness_json(const probe::Freshness& found) {
  return {{"changed", found.changed},   {"looked", found.looked},
          {"looks", found.looks},       {"listings", found.listings},
          {"failures", found.failures}, {"first_failure", text_or_null(found.first_failure)}};
}

}  // namespace

std::string probe_json(const probe::Findings& findings, const probe::Advice& advice) {
  Json json;
  json["schema"] = "rwlease-probe/1";
  json["verdict"] = advice.against.empty() ? "usable" : "unusable";
  json["against"] = advice.against;
  json["notes"] = advice.notes;
  json["advice"] = {{"interval_seconds", seconds(advice.interval)},
                    {"lease_seconds", seconds(advice.lease)},
                    {"shortest_lease_seconds", seconds(advice.shortest_lease)}};
  json["directories"] = Json::array();
  for (const auto& each : findings.directories) json["directories"].push_back(directory_json(each));
  json["freshness"] = Json::array();
  for (const auto& each : findings.freshness) json["freshness"].push_back(freshness_json(each));
  constexpr bool ascii_only = true;
  return json.dump(2, ' ', ascii_only, Json::error_handler_t::replace) + '\n';
}

}  // namespace rwlease::cli
