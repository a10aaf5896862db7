// Who an owner is, for people.
#pragma once

#include "softlock/inspector.hpp"

#include <rwlease/softlock.hpp>

namespace rwlease::softlock {

LockOwner describe(const Sighting& seen, const fs::Host& host);

}  // namespace rwlease::softlock
