#include "extension.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

namespace rwlease::mpi::detail {

static_assert(std::has_unique_object_representations_v<Standing>, "padding would send uninitialised bytes");

Extension::Extension(Communicator& communicator, int root, Hold& hold, std::chrono::nanoseconds margin)
    : communicator_(communicator), root_(root), hold_(hold), margin_(margin), request_(communicator.begin_barrier()) {}

bool Extension::complete() {
  if (applied_) return true;
  if (!communicator_.test(request_)) return false;
  if (!all_here_) {
    all_here_ = true;
    if (is_root()) take_stand();
    request_ = communicator_.begin_broadcast(&standing_, sizeof standing_, root_);
    if (!communicator_.test(request_)) return false;
  }
  apply();
  return applied_ = true;
}

// State and time left, read in this order: a lease that ends in between has no time left.
void Extension::take_stand() {
  standing_.state = hold_.core.state();
  if (standing_.state == LeaseState::valid) standing_.remaining_ns = hold_.core.remaining().count();
  hold_.relied_on_until = Instant::now().boot + standing_.remaining_ns + margin_.count();
  const std::string marker = hold_.core.marker();
  if (marker.size() < standing_.marker.size()) std::copy(marker.begin(), marker.end(), standing_.marker.begin());
}

void Extension::apply() noexcept {
  if (is_root()) return;
  hold_.marker = standing_.marker;
  if (standing_.state == LeaseState::valid) {
    hold_.deadline.grant(before_, std::chrono::nanoseconds(standing_.remaining_ns), margin_);
  } else {
    hold_.deadline.revoke();
  }
}

}  // namespace rwlease::mpi::detail
