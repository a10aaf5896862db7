#include <rwlease/error.hpp>

namespace rwlease {
namespace {

std::string message(const std::string& operation, const std::string& path, const std::string& cause) {
  return path.empty() ? operation + ": " + cause : operation + " " + path + ": " + cause;
}

}  // namespace

Error::Error(std::string operation, std::string path, const std::string& cause, std::error_code code)
    : std::runtime_error(message(operation, path, cause)),
      operation_(std::move(operation)),
      path_(std::move(path)),
      cause_(cause),
      code_(code) {}

// Out of line, so that each class has its type information in one place and can be caught across libraries.
Error::~Error() = default;
InvalidOptions::~InvalidOptions() = default;
UsageError::~UsageError() = default;
Timeout::~Timeout() = default;
Cancelled::~Cancelled() = default;
LeaseLost::~LeaseLost() = default;
UnsafeDirectory::~UnsafeDirectory() = default;

}  // namespace rwlease
