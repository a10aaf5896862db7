#include "protocol/survey.hpp"

#include "protocol/failure.hpp"
#include "protocol/fence.hpp"
#include "protocol/lock_directory.hpp"
#include "protocol/observer.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::protocol {
namespace {

void take_name(Participant& participant, std::string_view name) {
  const auto id = MarkerId::parse(without_prefix(name));
  if (!id) return;
  participant.host = id->host;
  participant.pid = id->pid;
  participant.lease = id->lease;
}

void take_record(Participant& participant, const Record& record, const fs::Host& host, bool unheld) {
  participant.host = record.host;
  participant.pid = record.process.pid;
  participant.job = record.job;
  participant.batch = record.batch;
  participant.ranks = record.ranks;
  participant.label = record.label;
  participant.sole = record.sole;
  participant.since = wall_time(record.since);
  if (record.lease.count() > 0) participant.lease = record.lease;
  const DeathCheck check = check_death(host, record, unheld);
  participant.why = check.why;
  participant.liveness = liveness_of(check.state);
}

Phase phase_of(const std::string& path, bool parsed) {
  const std::string_view name = base_name(path);
  if (starts_with(name, claim_prefix)) return Phase::waiting;
  if (name.front() == '.') return parsed ? Phase::leftover : Phase::foreign;
  return parsed ? Phase::holding : Phase::foreign;
}

// The path without what is secret.
std::string shown_path(const std::string& path) {
  const std::string_view name = base_name(path);
  return path.substr(0, path.size() - name.size()) + shown_name(name);
}

void add_all(Status& status, fs::Directory& directory, const fs::Host& host, const std::string& name) {
  fs::Attributes attributes;
  const bool foreign = directory.look(name, attributes).ok() && attributes.type != fs::Type::directory;
  if (foreign) return status.participants.push_back(describe(directory, host, name));
  const auto entries = list_by_looking(directory, name);
  if (name == readers_name) status.fence = newest_fence(entries);
  for (const fs::Entry& entry : entries) {
    if (fence_number(entry.name)) continue;
    status.participants.push_back(describe(directory, host, name + "/" + entry.name));
  }
}

// A writer with readers still there has claimed and drains.
void tell_draining(Status& status) {
  const auto reads = [](const Participant& p) { return p.mode == Mode::read && p.phase != Phase::leftover; };
  if (std::none_of(status.participants.begin(), status.participants.end(), reads)) return;
  for (Participant& participant : status.participants) {
    if (participant.mode == Mode::write && participant.phase == Phase::holding) participant.phase = Phase::draining;
  }
}

}  // namespace

std::vector<fs::Entry> list_by_looking(fs::Directory& directory, const std::string& name) {
  fs::Attributes ignored;
  static_cast<void>(directory.look(name, ignored));
  std::vector<fs::Entry> entries;
  const fs::Result result = directory.list(name, entries);
  if (!result.ok() && !result.absent()) {
    fail("listing", name.empty() ? directory.path() : directory.path() + "/" + name, result);
  }
  return entries;
}

// What acquire would refuse as no directory of the lock's own is no unused lock either.
std::unique_ptr<fs::Directory> open_to_read(fs::FileSystem& file_system, const std::string& directory) {
  constexpr const char* operation = "opening lock directory";
  const Place place = split(directory);
  std::unique_ptr<fs::Directory> parent;
  std::unique_ptr<fs::Directory> opened;
  fs::Result result = file_system.open(place.parent, parent);
  if (result.absent()) {
    throw Error(operation, directory, result.text() + " (its parent directory must exist)", result.code());
  }
  if (result.ok()) result = parent->open_directory(place.name, opened);
  if (result.error() == ELOOP || result.error() == ENOTDIR) {
    throw UnsafeDirectory(operation, directory, "it is a symlink or not a directory", result.code());
  }
  if (result.error() == EACCES) {
    throw Error(operation, directory, result.text() + " (its owner can read it, and its group where it shares it)",
                result.code());
  }
  if (!result.ok() && !result.absent()) fail(operation, directory, result);
  return opened;
}

Liveness liveness_of(fs::ProcessState state) noexcept {
  switch (state) {
    case fs::ProcessState::running:
      return Liveness::alive;
    case fs::ProcessState::gone:
      return Liveness::dead;
    case fs::ProcessState::unknown:
      break;
  }
  return Liveness::unknown;
}

std::chrono::system_clock::time_point wall_time(std::chrono::nanoseconds since_epoch) {
  using WallTime = std::chrono::system_clock::time_point;
  return WallTime(std::chrono::duration_cast<WallTime::duration>(since_epoch));
}

std::string participant_id(const std::string& path) {
  // Enough to tell apart all who ever meet, and too little to guess the rest.
  constexpr std::size_t shown_digits = 8;
  const auto id = MarkerId::parse(without_prefix(base_name(path)));
  return id ? id->shown() + '.' + id->token.substr(0, shown_digits) : shown_path(path);
}

std::string marker_of(const std::string& path) {
  const std::string_view name = base_name(path);
  return starts_with(name, claim_prefix) ? path + "/" + std::string(without_prefix(name)) : path;
}

Participant describe(fs::Directory& directory, const fs::Host& host, const std::string& path) {
  Participant participant;
  const std::string_view name = base_name(path);
  const auto id = MarkerId::parse(without_prefix(name));
  participant.phase = phase_of(path, id.has_value());
  const bool writes = is_in_writer(path) || participant.phase == Phase::waiting || path == writer_name;
  participant.mode = writes ? Mode::write : Mode::read;
  participant.name = shown_path(path);
  participant.id = participant_id(path);
  take_name(participant, name);
  fs::Attributes attributes;
  const std::string marker = marker_of(path);
  participant.readable = false;
  if (!directory.look(marker, attributes).ok()) return participant;
  participant.uid = attributes.uid;
  participant.last_heartbeat = wall_time(std::chrono::nanoseconds(attributes.stamp.mtime_ns));
  const auto record = read_record(directory, marker, attributes);
  participant.readable = record && id && record->token == id->token && record->process.pid == id->pid;
  if (participant.readable) take_record(participant, *record, host, never_held(path));
  return participant;
}

Status survey(fs::FileSystem& file_system, const fs::Host& host, const std::string& lock_name,
              const std::string& directory) {
  Status status;
  status.directory = directory;
  status.neighbours = find_neighbours(file_system, lock_name);
  const auto opened = open_to_read(file_system, directory);
  if (!opened) return status;
  status.exists = true;
  if (const auto refusal = refusal_of(*opened, host)) status.refusal = {refusal->path(), refusal->cause()};
  const auto entries = list_by_looking(*opened, "");
  status.writer_stands =
      std::any_of(entries.begin(), entries.end(), [](const fs::Entry& e) { return e.name == writer_name; });
  if (status.writer_stands) add_all(status, *opened, host, writer_name);
  add_all(status, *opened, host, readers_name);
  for (const fs::Entry& entry : entries) {
    if (entry.hidden()) status.participants.push_back(describe(*opened, host, entry.name));
  }
  std::stable_partition(status.participants.begin(), status.participants.end(),
                        [](const Participant& p) { return p.mode == Mode::write; });
  tell_draining(status);
  return status;
}

}  // namespace rwlease::protocol
