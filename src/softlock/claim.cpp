#include "softlock/claim.hpp"

#include "softlock/directory_claim.hpp"
#include "softlock/exclusive_file.hpp"
#include "softlock/hard_link.hpp"

namespace rwlease::softlock {

bool Claim::take() {
  // Each turn but the last has removed something.
  constexpr int turns = 4;
  for (int i = 0; i < turns; ++i) {
    in_the_way_ = sight();
    if (in_the_way_.standing == Standing::gone) break;
    if (in_the_way_.standing == Standing::present || !clear_away()) return false;
  }
  if (in_the_way_.standing == Standing::gone && make()) return true;
  in_the_way_ = sight();
  return false;
}

// What the file system refuses it will refuse again: not at every poll.
bool Claim::clear_away() {
  if (scene_.site.clock->boot() < clear_again_) return false;
  const Removal removal = clear(in_the_way_);
  if (removal == Removal::failed) clear_again_ = scene_.site.clock->boot() + scene_.window();
  if (removal != Removal::removed) return false;
  scene_.site.say(protocol::Severity::info, "removed stale lock " + scene_.path() + ": " + in_the_way_.why);
  cleared_ = true;
  return true;
}

bool Claim::left_for_us(const protocol::Record& record) const {
  const protocol::Record& self = *scene_.site.self;
  return record.host == self.host && record.uid == self.uid && record.process.pid == self.process.pid &&
         record.process.boot_id == self.process.boot_id;
}

void Claim::begin(const protocol::MarkerId& id, const std::string& path, const fs::Instant& sent) {
  marker_.emplace(scene_.site, id);
  marker_->become(id, path, sent);
}

void Claim::begin_adopted(const protocol::MarkerId& id, const std::string& path) {
  fs::Instant long_ago;
  long_ago.boot = Nanoseconds::min() / 2;
  begin(id, path, long_ago);
  adopted_ = true;
}

Beat Claim::extend(const fs::Instant& sent) {
  protocol::Validity& validity = marker_->validity();
  const bool first = adopted_ && !validity.in_force(*scene_.site.clock);
  if (first) validity.start(sent);
  return first || validity.extend(sent, *scene_.site.clock) ? Beat::counted : Beat::uncounted;
}

std::unique_ptr<Claim> make_claim(Primitive primitive, const Scene& scene) {
  switch (primitive) {
    case Primitive::directory:
      return std::make_unique<DirectoryClaim>(scene);
    case Primitive::exclusive_file:
      return std::make_unique<ExclusiveFile>(scene);
    case Primitive::hard_link:
      break;
  }
  return std::make_unique<HardLink>(scene);
}

}  // namespace rwlease::softlock
