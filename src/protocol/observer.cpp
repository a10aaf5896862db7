#include "protocol/observer.hpp"

#include "protocol/marker.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::protocol {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

Finding Observer::inspect(const std::string& path) {
  fs::Attributes attributes;
  const char* dead_because = nullptr;
  const Finding finding = look(path, attributes, dead_because);
  return dead_because == nullptr ? finding : evict(path, attributes, dead_because);
}

bool Observer::stands(const std::string& path) {
  fs::Attributes attributes;
  const char* dead_because = nullptr;
  return look(path, attributes, dead_because) == Finding::present && dead_because == nullptr;
}

Finding Observer::look(const std::string& path, fs::Attributes& attributes, const char*& dead_because) {
  Look look;
  const fs::Result result = forced_look(site_, path, attributes, look);
  trouble_ = result.absent() ? fs::Result() : result;
  if (result.absent()) {
    forget(path);
    gone_.insert(path);
    return Finding::gone;
  }
  if (!result.ok()) return Finding::present;
  if (proven_dead(path, attributes)) {
    dead_because = "its process is gone";
  } else if (job_is_over(path, attributes)) {
    dead_because = "its batch job is over";
  } else if (site_.ledger->observe(path, look, window(path))) {
    dead_because = "no sign of life for its lease";
  }
  return Finding::present;
}

void Observer::listed(const std::string& path) {
  if (gone_.erase(path) != 0) forget_name(site_, path);
}

Nanoseconds Observer::pace(const std::string& path) const {
  constexpr int looks_in_a_window = 8;
  return window(path) / looks_in_a_window;
}

Nanoseconds Observer::window(const std::string& path) const {
  const auto id = MarkerId::parse(without_prefix(base_name(path)));
  Nanoseconds longest = site_.terms.lease;
  if (id) longest = std::max<Nanoseconds>(longest, id->lease);
  const auto known = records_.find(path);
  if (known != records_.end() && known->second) longest = std::max<Nanoseconds>(longest, known->second->lease);
  return std::min<Nanoseconds>(longest, longest_lease);
}

const std::optional<Record>& Observer::record(const std::string& path, const fs::Attributes& attributes) {
  const auto known = records_.find(path);
  if (known != records_.end()) return known->second;
  auto record = read_record(*site_.directory, path, attributes);
  const auto id = MarkerId::parse(without_prefix(base_name(path)));
  const bool agrees = record && id && id->token == record->token && id->pid == record->process.pid;
  if (!agrees) record.reset();
  return records_.emplace(path, std::move(record)).first->second;
}

bool Observer::proven_dead(const std::string& path, const fs::Attributes& attributes) {
  const auto& known = record(path, attributes);
  if (!known || !site_.trust_proof_of_death) return false;
  return check_death(*site_.host, *known, never_held(path)).state == fs::ProcessState::gone;
}

bool Observer::job_is_over(const std::string& path, const fs::Attributes& attributes) {
  if (!site_.job_oracle || !site_.trust_proof_of_death) return false;
  const auto& known = record(path, attributes);
  return known && !known->batch.id.empty() && site_.job_oracle(known->batch) == JobState::over;
}

void Observer::forget(const std::string& path) {
  site_.ledger->forget(path);
  records_.erase(path);
}

Finding Observer::evict(const std::string& path, const fs::Attributes& attributes, const char* why) {
  fs::Result result =
      attributes.type == fs::Type::directory ? remove_directory_entry(site_, path) : remove_entry(site_, path);
  const std::string shown = site_.directory->path() + ": " + shown_name(base_name(path));
  if (!result.ok()) {
    if (!unmovable_.insert(path).second) return Finding::present;
    site_.say(Severity::warning, "cannot evict from " + shown + " of user " + std::to_string(attributes.uid) + " (" +
                                     why + "): " + result.text());
    return Finding::present;
  }
  forget(path);
  site_.say(Severity::info, "evicted from " + shown + ": " + why);
  return Finding::evicted;
}

fs::Result forced_look(const Site& site, const std::string& path, fs::Attributes& attributes, Look& look) {
  look.sent = site.clock->boot();
  const fs::Result result = site.directory->look(path, attributes);
  look.replied = site.clock->boot();
  look.stamp = attributes.stamp;
  return result;
}

std::optional<Record> read_record(fs::Directory& directory, const std::string& path, const fs::Attributes& attributes) {
  std::string text;
  if (attributes.type == fs::Type::symlink) {
    if (!directory.read_link(path, text).ok()) return std::nullopt;
  } else if (attributes.type == fs::Type::file && attributes.links == 1 && attributes.size <= longest_record) {
    if (!directory.read_file(path, longest_record, text).ok()) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return Record::parse(text);
}

bool never_held(std::string_view path) {
  return base_name(path).front() == '.' || path.find("/.") != std::string_view::npos;
}

DeathCheck check_death(const fs::Host& host, const Record& record, bool never_held) {
  const std::string process = "process " + std::to_string(record.process.pid);
  switch (host.state_of(record.process)) {
    case fs::ProcessState::unknown:
      return {fs::ProcessState::unknown, "on another host, or not comparable"};
    case fs::ProcessState::running:
      return {fs::ProcessState::running, process + " runs on this host"};
    case fs::ProcessState::gone:
      break;
  }
  if (never_held) return {fs::ProcessState::gone, process + " is gone"};
  if (!record.sole) return {fs::ProcessState::unknown, process + " is gone, but others may work under its lease"};
  if (record.process_group != 0 && host.state_of_group(record.process_group) != fs::ProcessState::gone) {
    return {fs::ProcessState::running, process + " is gone, but its process group runs"};
  }
  return {fs::ProcessState::gone, process + " is gone"};
}

}  // namespace rwlease::protocol
