// Cancelling from outside.
#pragma once

#include <rwlease/cancel.hpp>

namespace rwlease::test {

// Cancelled by SIGUSR1, which this takes over on the first call.
Cancel& cancel_on_usr1();

}  // namespace rwlease::test
