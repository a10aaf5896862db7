#include "lock/lock_name.hpp"

#include <rwlease/error.hpp>

#include <string>
#include <system_error>

namespace rwlease {

std::filesystem::path resolved_lock_name(const std::filesystem::path& name) {
  constexpr const char* operation = "checking lock name";
  std::string text = name.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  const std::string last = std::filesystem::path(text).filename().string();
  const bool names_something = !last.empty() && last != "." && last != "..";
  if (!names_something) throw InvalidOptions(operation, text, "it must end in a file name");
  if (text.find('\0') != std::string::npos) throw InvalidOptions(operation, "", "it contains a NUL byte");
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(text, error);
  if (error) throw InvalidOptions(operation, text, "there is no working directory: " + error.message(), error);
  return absolute;
}

}  // namespace rwlease
