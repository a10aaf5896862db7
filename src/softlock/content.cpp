#include "softlock/content.hpp"

#include "protocol/marker.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace rwlease::softlock {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    parts.push_back(part);
  }
  return parts;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "node07 4711 1796060212 5701", as Perl's File::NFSLock writes it. The first line's owner stands for all.
bool take_nfslock(Content& content, std::string_view line) {
  const auto words = split(line, ' ');
  if (words.size() != 4 || words[0].empty()) return false;
  const auto pid = number(words[1]);
  const auto since = number(words[2]);
  if (!pid || !since || !number(words[3])) return false;
  content.kind = Content::Kind::nfslock;
  content.host = words[0];
  content.pid = static_cast<long>(*pid);
  content.since_s = *since;
  return true;
}

}  // namespace

Content Content::parse(std::string_view text) {
  Content content;
  for (const std::string_view line : split(text, '\n')) {
    content.record = protocol::Record::parse(line);
    if (content.record) {
      content.kind = Kind::record;
      return content;
    }
    if (content.kind != Kind::unknown || take_nfslock(content, line)) continue;
    const auto pid = number(line);
    // A 0 is what programs write that only care for the name.
    if (!pid || *pid == 0) continue;
    content.kind = Kind::pid_file;
    content.pid = static_cast<long>(*pid);
  }
  return content;
}

std::string content_text(const Scene& scene, const protocol::MarkerId& id) {
  const protocol::Record record = protocol::record_of(scene.site, id);
  const std::string line = record.text() + "\n";
  return scene.single_host ? std::to_string(record.process.pid) + "\n" + line : line;
}

std::optional<Nanoseconds> server_time(const Scene& scene) {
  const std::string probe = private_prefix + fresh_id(scene).text();
  fs::Attributes made;
  const bool known =
      scene.site.directory->make_file("", probe, file_mode).ok() && scene.site.directory->look(probe, made).ok();
  static_cast<void>(protocol::remove_entry(scene.site, probe));
  if (!known) return std::nullopt;
  return Nanoseconds(made.stamp.mtime_ns);
}

protocol::MarkerId fresh_id(const Scene& scene) {
  protocol::MarkerId id = protocol::new_id(scene.site);
  id.lease = std::clamp(id.lease, std::chrono::milliseconds(1), protocol::longest_lease);
  return id;
}

}  // namespace rwlease::softlock
