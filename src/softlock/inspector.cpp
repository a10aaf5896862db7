#include "softlock/inspector.hpp"

#include "protocol/failure.hpp"
#include "protocol/marker.hpp"
#include "protocol/observer.hpp"

namespace rwlease::softlock {
namespace {

constexpr Nanoseconds never = Nanoseconds::max();
constexpr mode_t sticky = 01000;

}  // namespace

Sighting Inspector::look(const std::string& path) {
  Sighting seen;
  seen.path = path;
  protocol::Look look;
  fs::Result result = protocol::forced_look(scene_.site, path, seen.attributes, look);
  // A file without a name is one that a cached name still leads to.
  if (result.ok() && seen.attributes.links == 0) result = fs::Result(ENOENT);
  if (result.absent()) {
    scene_.site.ledger->forget(path);
    known_.erase(path);
    return seen;
  }
  if (!result.ok()) protocol::fail("looking at lock", scene_.site.directory->path() + "/" + path, result);
  seen.standing = Standing::present;
  seen.content = content(path, seen.attributes);
  judge(seen, look);
  return seen;
}

const Content& Inspector::content(const std::string& path, const fs::Attributes& attributes) {
  const auto known = known_.find(path);
  if (known != known_.end() && known->second.stamp == attributes.stamp) return known->second.content;
  std::string text;
  Content content;
  if (attributes.type == fs::Type::file && scene_.site.directory->read_linked_file(path, longest_content, text).ok()) {
    content = Content::parse(text);
    content.read = true;
  }
  return known_.insert_or_assign(path, Known{attributes.stamp, std::move(content)}).first->second.content;
}

void Inspector::judge(Sighting& seen, const protocol::Look& look) {
  seen.proven = proven_dead(seen);
  const Nanoseconds window = this->window(seen);
  // Observed in any case, so that the window runs from the first look.
  const bool unchanged = window != never && scene_.site.ledger->observe(seen.path, look, window);
  if (seen.proven && scene_.site.trust_proof_of_death) {
    seen.standing = Standing::dead;
  } else if (unchanged) {
    seen.standing = Standing::dead;
    seen.why = unfinished(seen) ? "it was never finished" : "no sign of life for its stale age";
  } else if (scene_.by_file_age && too_old(seen)) {
    seen.standing = Standing::dead;
    seen.why = "its file is older than the stale age";
    scene_.site.say(protocol::Severity::warning, "removing " + scene_.path() +
                                                     " because of its file's age, which does not show that its owner "
                                                     "is dead: two may work at once");
  }
}

bool Inspector::proven_dead(Sighting& seen) const {
  if (seen.content.record) {
    const auto check = protocol::check_death(*scene_.site.host, *seen.content.record);
    seen.why = check.why;
    return check.state == fs::ProcessState::gone;
  }
  if (!scene_.single_host || seen.content.pid == 0) return false;
  const std::string process = "process " + std::to_string(seen.content.pid);
  const bool gone = !scene_.site.host->identify(static_cast<pid_t>(seen.content.pid));
  seen.why = process + (gone ? " is gone" : " runs on this host");
  return gone;
}

// How long it must have stayed the same to be dead.
Nanoseconds Inspector::window(const Sighting& seen) const {
  if (unfinished(seen)) return scene_.window();
  const auto of_owner = [this](Nanoseconds promised) {
    const bool no_promise = promised == Nanoseconds(0) || promised >= protocol::longest_lease;
    return scene_.stale == Nanoseconds(0) || no_promise ? never : std::max(scene_.stale, promised);
  };
  if (seen.content.record) return of_owner(seen.content.record->lease);
  if (const auto id = protocol::MarkerId::parse(protocol::base_name(seen.path))) return of_owner(id->lease);
  return scene_.foreign_stale == Nanoseconds(0) ? never : scene_.foreign_stale;
}

// Nobody is its owner, and whoever made it will not be one any more once the window is over.
bool Inspector::unfinished(const Sighting& seen) const {
  if (seen.content.record) return abandoned_.count(seen.content.record->token) != 0;
  const bool ours = protocol::MarkerId::parse(protocol::base_name(seen.path)).has_value();
  return seen.content.kind == Content::Kind::unknown &&
         ((seen.attributes.mode & sticky) != 0 || (ours && seen.content.read));
}

bool Inspector::too_old(const Sighting& seen) {
  const Nanoseconds limit = seen.content.record ? scene_.stale : scene_.foreign_stale;
  if (limit == Nanoseconds(0) || unfinished(seen)) return false;
  const auto now = server_time();
  return now && *now - Nanoseconds(seen.attributes.stamp.mtime_ns) > limit;
}

// Asked once; after that this host's clock tells how it has gone on.
std::optional<Nanoseconds> Inspector::server_time() {
  const Nanoseconds now = scene_.site.clock->boot();
  if (!server_ahead_) {
    const auto asked = softlock::server_time(scene_);
    if (!asked) return std::nullopt;
    server_ahead_ = *asked - now;
  }
  return now + *server_ahead_;
}

}  // namespace rwlease::softlock
