#include "runtime/acquisition_trace.hpp"

#include "protocol/names.hpp"
#include "protocol/observer.hpp"

#include <algorithm>

namespace rwlease::runtime {
namespace {

// The first of them: a lock may have thousands of readers.
std::string ids_of(const std::vector<std::string>& paths) {
  constexpr std::size_t most = 64;
  std::string ids;
  for (std::size_t i = 0; i < std::min(paths.size(), most); ++i) {
    ids += (ids.empty() ? "" : ",") + trace_id(protocol::base_name(paths[i]));
  }
  return ids;
}

}  // namespace

AcquisitionTrace::AcquisitionTrace(const protocol::Site& site, Mode mode) : trace_(Trace::get()), clock_(*site.clock) {
  if (trace_ == nullptr) return;
  number_ = std::to_string(trace_->next_number());
  const std::string mode_word(to_string(mode));
  trace_->event(
      "wait", clock_.boot(),
      {{"acquire", number_}, {"mode", mode_word}, {"lock", site.directory->path()}, {"label", site.self->label}});
}

AcquisitionTrace::~AcquisitionTrace() {
  if (trace_ != nullptr && !over_) trace_->event("gave-up", clock_.boot(), {{"acquire", number_}});
}

void AcquisitionTrace::step_begins() noexcept {
  if (trace_ != nullptr) step_began_ = clock_.boot();
}

void AcquisitionTrace::step_failed(const protocol::Attempt& attempt) noexcept {
  if (trace_ == nullptr) return;
  try {
    const std::string ids = ids_of(attempt.in_the_way());
    const bool claimed = attempt.awaited().directory == protocol::readers_name;
    const std::string seen = ids + (claimed ? "+" : "");
    if (ids.empty() || seen == blocked_by_) return;
    blocked_by_ = seen;
    trace_->event("blocked", step_began_, {{"acquire", number_}, {"by", ids}, {"claimed", claimed ? "1" : "0"}});
  } catch (const std::exception&) {
    // Out of memory.
  }
}

void AcquisitionTrace::held(const protocol::Grant& grant) noexcept {
  over_ = true;
  if (trace_ == nullptr) return;
  try {
    trace_->event(
        "held", step_began_,
        {{"acquire", number_}, {"id", trace_id(grant.marker.name())}, {"fence", std::to_string(grant.fence)}});
  } catch (const std::exception&) {
    // Out of memory.
  }
}

}  // namespace rwlease::runtime
