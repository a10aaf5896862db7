#include "softlock/owner.hpp"

#include "fs/user.hpp"
#include "protocol/observer.hpp"
#include "protocol/survey.hpp"

#include <ctime>

namespace rwlease {
namespace softlock {
namespace {

void take_record(LockOwner& owner, const protocol::Record& record, const fs::Host& host) {
  owner.made_by = "rwlease";
  owner.host = record.host;
  owner.pid = record.process.pid;
  owner.label = record.label;
  owner.since = protocol::wall_time(record.since);
  owner.liveness = protocol::liveness_of(protocol::check_death(host, record).state);
}

void take_foreign(LockOwner& owner, const Sighting& seen) {
  owner.made_by = "another program";
  owner.since = owner.last_sign;
  owner.pid = seen.content.pid;
  if (seen.content.kind == Content::Kind::pid_file) owner.made_by = "pid file";
  if (seen.content.kind == Content::Kind::nfslock) {
    owner.made_by = "NFSLock";
    owner.host = seen.content.host;
    owner.since = protocol::wall_time(std::chrono::seconds(seen.content.since_s));
  }
  if (seen.proven) owner.liveness = Liveness::dead;
}

}  // namespace

LockOwner describe(const Sighting& seen, const fs::Host& host) {
  LockOwner owner;
  owner.user = fs::user_name(seen.attributes.uid);
  owner.last_sign = protocol::wall_time(Nanoseconds(seen.attributes.stamp.mtime_ns));
  owner.why = seen.why;
  if (seen.content.record) {
    take_record(owner, *seen.content.record, host);
  } else {
    take_foreign(owner, seen);
  }
  return owner;
}

}  // namespace softlock

namespace {

std::string printable(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return text;
}

std::string local_time(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  struct tm parts = {};
  char text[32] = "";
  if (::localtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%F %T", &parts);
  return text;
}

}  // namespace

std::string to_string(const LockOwner& owner) {
  std::string text = printable(owner.user);
  if (!owner.host.empty()) text += " on " + printable(owner.host);
  if (owner.pid != 0) text += ", process " + std::to_string(owner.pid);
  if (owner.made_by != "rwlease") text += " (" + owner.made_by + ")";
  text += ", since " + local_time(owner.since);
  if (!owner.label.empty()) text += ", " + printable(owner.label);
  return text;
}

LockBusy::LockBusy(std::string operation, std::string path, const std::string& cause, std::optional<LockOwner> owner)
    : Timeout(std::move(operation), std::move(path), cause), owner_(std::move(owner)) {}

LockBusy::~LockBusy() = default;

}  // namespace rwlease
