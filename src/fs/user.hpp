// Names of users.
#pragma once

#include <sys/types.h>

#include <string>

namespace rwlease::fs {

// As the user database has it; the number where it has none.
std::string user_name(uid_t uid);

}  // namespace rwlease::fs
