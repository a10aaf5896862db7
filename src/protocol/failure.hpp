// Turning what the file system said into an exception that tells a person what to do.
#pragma once

#include "fs/result.hpp"
#include "protocol/site.hpp"

#include <rwlease/error.hpp>

#include <string>

namespace rwlease::protocol {

// The lock directory itself is gone, or half of it: whoever meets this opens it anew.
class DirectoryGone final : public Error {
 public:
  using Error::Error;
};

// Throws Error: operation, path, cause and the remedy where one is known; DirectoryGone when the result says that the
// directory at `path` is not there. `path` must not contain a token.
[[noreturn]] void fail(const std::string& operation, const std::string& path, fs::Result result);

}  // namespace rwlease::protocol
