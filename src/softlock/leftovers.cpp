#include "softlock/leftovers.hpp"

#include "protocol/marker.hpp"
#include "protocol/observer.hpp"
#include "softlock/content.hpp"

#include <string>
#include <vector>

namespace rwlease::softlock {
namespace {

constexpr Nanoseconds longest_private = std::chrono::hours(1);
constexpr Nanoseconds longest_right = std::chrono::hours(24);

bool maker_is_dead(const Scene& scene, const std::string& name) {
  std::string text;
  if (!scene.site.directory->read_linked_file(name, longest_content, text).ok()) return false;
  const auto record = Content::parse(text).record;
  return record && scene.site.trust_proof_of_death &&
         protocol::check_death(*scene.site.host, *record, true).state == fs::ProcessState::gone;
}

bool is_left_over(const Scene& scene, const std::string& name, Nanoseconds now) {
  const bool is_private = protocol::starts_with(name, private_prefix);
  if (!is_private && !protocol::starts_with(name, right_prefix)) return false;
  if (is_private && maker_is_dead(scene, name)) return true;
  fs::Attributes found;
  if (!scene.site.directory->look(name, found).ok()) return false;
  const Nanoseconds age = now - Nanoseconds(found.stamp.mtime_ns);
  return age > (is_private ? longest_private : longest_right);
}

}  // namespace

void sweep_leftovers(const Scene& scene) {
  const auto now = server_time(scene);
  std::vector<fs::Entry> entries;
  if (!now || !scene.site.directory->list("", entries).ok()) return;
  for (const fs::Entry& entry : entries) {
    if (is_left_over(scene, entry.name, *now)) static_cast<void>(protocol::remove_entry(scene.site, entry.name));
  }
}

}  // namespace rwlease::softlock
