// The names that locks are given.
#pragma once

#include <filesystem>

namespace rwlease {

// As it is meant where the lock is made, whatever the working directory is later; "data/" is data. Throws
// InvalidOptions for what cannot be the name of a file.
std::filesystem::path resolved_lock_name(const std::filesystem::path& name);

}  // namespace rwlease
