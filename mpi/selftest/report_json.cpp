#include "report.hpp"

#include <mpi.h>
#include <time.h>
#include <nlohmann/json.hpp>

namespace rwlease::selftest {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of keys: people read it too

double seconds(std::chrono::nanoseconds duration) { return static_cast<double>(duration.count()) / 1e9; }

std::string utc(std::chrono::system_clock::time_point when) {
  const std::time_t whole = std::chrono::system_clock::to_time_t(when);
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&whole, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of("\n,"));
}

Json nodes_json(const Report& report) {
  Json nodes = Json::array();
  for (int node = 0; node < report.nodes.count(); ++node) {
    const auto at = static_cast<std::size_t>(node);
    Json json;
    json["host"] = report.nodes.hosts[at];
    json["ranks"] = report.nodes.ranks_of(node);
    const bool measured = at < report.clocks.size();
    json["clock_offset_seconds"] = measured ? Json(report.clocks[at].offset_seconds) : Json();
    json["clock_offset_uncertainty_seconds"] = measured ? Json(report.clocks[at].uncertainty_seconds) : Json();
    json["clock_rate_error"] = measured ? Json(report.clocks[at].rate_error) : Json();
    nodes.push_back(json);
  }
  return nodes;
}

Json settings_json(const Report& report) {
  Json json;
  json["minutes"] = static_cast<double>(report.settings.duration.count()) / 60'000;
  json["lease_seconds"] = seconds(report.terms.lease);
  json["interval_seconds"] = seconds(report.terms.interval);
  json["broken_on_purpose"] = report.settings.breakage != Breakage::none;
  return json;
}

Json file_system_json(const Report& report) {
  Json json;
  json["time_step_seconds"] = seconds(report.terms.time_step);
  json["markers"] = report.terms.kind == MarkerKind::symlink ? "symlinks" : "files";
  return json;
}

Json phase_json(const PhaseResult& phase) {
  Json json;
  json["name"] = phase.name;
  json["outcome"] = phase.failures != 0 ? "failed" : phase.skipped ? "skipped" : "passed";
  json["seconds"] = phase.seconds;
  json["failures"] = phase.failures;
  json["first_failure"] = phase.first_failure.empty() ? Json() : Json(phase.first_failure);
  json["note"] = phase.note.empty() ? Json() : Json(phase.note);
  json["counts"] = Json::object();
  for (const auto& [what, number] : phase.counts) json["counts"][what] = number;
  return json;
}

Json histogram_json(const Histogram& histogram) {
  Json json;
  json["count"] = histogram.count();
  json["min_seconds"] = seconds(histogram.least());
  json["mean_seconds"] = histogram.mean_seconds();
  json["p50_seconds"] = seconds(histogram.quantile(0.5));
  json["p95_seconds"] = seconds(histogram.quantile(0.95));
  json["p99_seconds"] = seconds(histogram.quantile(0.99));
  json["max_seconds"] = seconds(histogram.greatest());
  json["histogram"] = Json::array();
  for (const auto& bucket : histogram.buckets()) json["histogram"].push_back({seconds(bucket.upper), bucket.count});
  return json;
}

Json operations_json(const Timings& timings) {
  Json operations = Json::array();
  timings.for_each([&operations](Operation operation, Load load, const Histogram& histogram) {
    Json json;
    json["operation"] = to_string(operation);
    json["load"] = to_string(load);
    json.update(histogram_json(histogram));
    operations.push_back(json);
  });
  return operations;
}

Json stays_json(const Report& report) {
  Json stays = Json::array();
  for (const Stay& stay : report.stays) {
    Json json;
    json["rank"] = stay.rank;
    json["party"] = stay.party;
    json["mode"] = to_string(stay.mode);
    json["begin_seconds"] = seconds(stay.begin - report.began);
    json["end_seconds"] = seconds(stay.end - report.began);
    stays.push_back(json);
  }
  return stays;
}

}  // namespace

std::string report_json(const Report& report) {
  Json json;
  json["schema"] = "rwlease-selftest/1";
  json["verdict"] = report.certified() ? "certified" : "refused";
  json["scope"] = report.nodes.count() == 1 ? "one host" : "nodes";
  json["reasons"] = report.reasons();
  json["notes"] = report.notes;
  json["directory"] = report.settings.directory;
  json["started"] = utc(report.started);
  json["seconds"] = report.seconds;
  json["rwlease"] = RWLEASE_VERSION;
  json["mpi"] = mpi_library();
  json["ranks"] = report.nodes.of_rank.size();
  json["nodes"] = nodes_json(report);
  json["settings"] = settings_json(report);
  json["file_system"] = file_system_json(report);
  json["phases"] = Json::array();
  for (const PhaseResult& phase : report.phases) json["phases"].push_back(phase_json(phase));
  json["operations"] = operations_json(report.timings);
  json["holds"] = stays_json(report);
  constexpr bool ascii_only = true;
  return json.dump(2, ' ', ascii_only, Json::error_handler_t::replace) + '\n';
}

}  // namespace rwlease::selftest
