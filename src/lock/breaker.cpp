#include <rwlease/admin.hpp>

#include "protocol/breaking.hpp"
#include "protocol/marker.hpp"
#include "protocol/survey.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace rwlease {
namespace {

constexpr const char* breaking = "breaking leases on";

std::string parent_of(const std::string& path) {
  const std::string_view name = protocol::base_name(path);
  return name.size() == path.size() ? "" : path.substr(0, path.size() - name.size() - 1);
}

bool is_cancelled(const Cancel* cancel) { return cancel != nullptr && cancel->cancelled(); }

}  // namespace

class Breaker::Impl {
 public:
  explicit Impl(const Lock& lock) : path_(lock.directory().string()), options_(lock.options()) {}

  std::vector<Broken> take(const std::vector<std::string>& ids, BreakHow how, const Cancel* cancel);
  std::chrono::milliseconds left() const;
  void settle(const Cancel* cancel);

 private:
  using Paths = std::map<std::string, std::string>;                // by id
  using Begun = std::vector<std::pair<std::size_t, std::string>>;  // index of the id, path

  bool open();
  Begun begin_all(const std::vector<std::string>& ids, BreakHow how, const Cancel* cancel,
                  std::vector<Broken>& outcomes);
  void remove_all(const Begun& begun, const Cancel* cancel, std::vector<Broken>& outcomes);
  void pause(fs::Nanoseconds duration, const Cancel* cancel);
  Paths find_all() const;
  void add(Paths& paths, const std::string& directory) const;
  Broken begin(const std::string& path, BreakHow how);
  Broken remove_unheld(const std::string& path);
  bool is_dead(const std::string& path) const;

  runtime::Runtime& runtime_ = runtime::Runtime::get();
  const std::string path_;
  const Options options_;
  std::shared_ptr<runtime::Instance> instance_;
  protocol::Site site_;
  std::optional<protocol::Breaker> breaker_;
};

// False where there is no lock directory: breaking makes none.
bool Breaker::Impl::open() {
  if (breaker_) return true;
  if (!protocol::open_to_read(runtime_.file_system(), path_)) return false;
  instance_ = runtime_.open(path_, options_, nullptr);
  site_ = instance_->site(options_);
  breaker_.emplace(site_);
  return true;
}

std::vector<Broken> Breaker::Impl::take(const std::vector<std::string>& ids, BreakHow how, const Cancel* cancel) {
  std::vector<Broken> outcomes(ids.size(), Broken::gone);
  if (!open()) return outcomes;
  try {
    const Begun begun = begin_all(ids, how, cancel, outcomes);
    if (how == BreakHow::safely && !begun.empty()) pause(protocol::pause_for_listings, cancel);
    remove_all(begun, cancel, outcomes);
  } catch (...) {
    breaker_->withdraw();
    throw;
  }
  breaker_->withdraw();
  return outcomes;
}

// What is to be removed after the pause.
Breaker::Impl::Begun Breaker::Impl::begin_all(const std::vector<std::string>& ids, BreakHow how, const Cancel* cancel,
                                              std::vector<Broken>& outcomes) {
  const Paths paths = find_all();
  Begun begun;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = paths.find(ids[i]);
    if (found == paths.end()) continue;
    outcomes[i] = is_cancelled(cancel) ? Broken::cancelled : begin(found->second, how);
    if (outcomes[i] == Broken::removed && !protocol::never_held(found->second)) begun.emplace_back(i, found->second);
  }
  return begun;
}

void Breaker::Impl::remove_all(const Begun& begun, const Cancel* cancel, std::vector<Broken>& outcomes) {
  for (const auto& [index, path] : begun) {
    if (is_cancelled(cancel)) {
      outcomes[index] = Broken::cancelled;
    } else if (!breaker_->remove(path)) {
      outcomes[index] = Broken::gone;
    }
  }
}

// All of it, unless cancelled.
void Breaker::Impl::pause(fs::Nanoseconds duration, const Cancel* cancel) {
  fs::EntryWatch nothing;
  const int descriptor = cancel == nullptr ? -1 : cancel->descriptor();
  const fs::Nanoseconds end = runtime_.clock().boot() + duration;
  while (!is_cancelled(cancel) && runtime_.clock().boot() < end) {
    static_cast<void>(runtime_.threads().wait(nothing, end - runtime_.clock().boot(), descriptor));
  }
}

// Removed: it is going to be, or was, where it held nothing.
Broken Breaker::Impl::begin(const std::string& path, BreakHow how) {
  const bool dead = is_dead(path);
  if (protocol::never_held(path)) return dead ? remove_unheld(path) : Broken::alive;
  if (how == BreakHow::if_dead && !dead) return Broken::alive;
  // A foreign entry is nobody's lease.
  const bool foreign = !protocol::MarkerId::parse(protocol::without_prefix(protocol::base_name(path)));
  const bool needs_block = how == BreakHow::safely && !dead && !foreign;
  return !needs_block || breaker_->block(path) ? Broken::removed : Broken::gone;
}

// A claim in preparation: the marker first, or its rename that is carried out late would bring it into place.
Broken Breaker::Impl::remove_unheld(const std::string& path) {
  const bool removed = breaker_->remove(protocol::marker_of(path));
  if (protocol::marker_of(path) != path) static_cast<void>(protocol::remove_directory_entry(site_, path));
  return removed ? Broken::removed : Broken::gone;
}

bool Breaker::Impl::is_dead(const std::string& path) const {
  const Participant participant = protocol::describe(*site_.directory, *site_.host, path);
  if (participant.liveness == Liveness::dead) return true;
  const bool may_ask = site_.job_oracle && site_.trust_proof_of_death && !participant.batch.id.empty();
  return may_ask && site_.job_oracle(participant.batch) == JobState::over;
}

Breaker::Impl::Paths Breaker::Impl::find_all() const {
  Paths paths;
  add(paths, protocol::writer_name);
  add(paths, protocol::readers_name);
  add(paths, "");
  return paths;
}

void Breaker::Impl::add(Paths& paths, const std::string& directory) const {
  fs::Attributes attributes;
  const fs::Result looked = site_.directory->look(directory, attributes);
  std::vector<fs::Entry> entries;
  if (looked.ok() && attributes.type != fs::Type::directory) {
    entries.push_back({directory});
  } else {
    entries = protocol::list_by_looking(*site_.directory, directory);
  }
  for (const fs::Entry& entry : entries) {
    const bool counts = directory.empty() ? entry.hidden() : !protocol::fence_number(entry.name);
    if (!counts) continue;
    const std::string path = directory.empty() || entry.name == directory ? entry.name : directory + "/" + entry.name;
    const std::string id = protocol::participant_id(path);
    if (paths.emplace(id, path).second) continue;
    throw UsageError(breaking, path_, "the id " + id + " names several entries of " + parent_of(path));
  }
}

std::chrono::milliseconds Breaker::Impl::left() const {
  return breaker_ ? std::chrono::ceil<std::chrono::milliseconds>(breaker_->left()) : std::chrono::milliseconds(0);
}

void Breaker::Impl::settle(const Cancel* cancel) {
  if (!breaker_) return;
  fs::EntryWatch nothing;
  const int descriptor = cancel == nullptr ? -1 : cancel->descriptor();
  while (breaker_->may_be_in_force()) {
    const auto pause = std::min<fs::Nanoseconds>(breaker_->left(), options_.poll_max);
    if (runtime_.threads().wait(nothing, std::max(pause, fs::Nanoseconds(0)), descriptor) == fs::Woken::cancelled) {
      throw Cancelled(breaking, path_, "cancelled; others get in when they have waited for a lease");
    }
  }
  breaker_->unblock();
}

Breaker::Breaker(const Lock& lock) : impl_(std::make_unique<Impl>(lock)) {}
Breaker::~Breaker() = default;

std::vector<Broken> Breaker::take(const std::vector<std::string>& ids, BreakHow how, const Cancel* cancel) {
  return impl_->take(ids, how, cancel);
}
std::chrono::milliseconds Breaker::left() const { return impl_->left(); }
void Breaker::settle(const Cancel* cancel) { impl_->settle(cancel); }

}  // namespace rwlease
