// Who we are, as others see us in the lock directory.
#pragma once

#include <string>

namespace rwlease::cli {

// "host.pid" of this process, spelled as in its markers' names and in status: in the host name all but letters, digits
// and '-' is replaced.
std::string holder_id();

}  // namespace rwlease::cli
