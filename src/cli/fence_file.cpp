#include "fence_file.hpp"

#include "whole_file.hpp"

#include <rwlease/error.hpp>

#include <system_error>

namespace rwlease::cli {

void write_fence_file(const std::string& file, const std::string& lines) {
  const int error = write_whole_file(file, lines + '\n');
  if (error == 0) return;
  const std::error_code code(error, std::generic_category());
  throw Error("writing fence file", file, code.message() + "; the command was not started", code);
}

}  // namespace rwlease::cli
