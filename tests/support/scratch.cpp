#include "support/scratch.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace rwlease::test {

namespace fs = std::filesystem;

Scratch::Scratch() {
  std::string pattern = fs::temp_directory_path() / "rwlease-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "making " + pattern);
  }
  directory_ = pattern;
  // Other users take part in some tests.
  ::chmod(directory_.c_str(), 0755);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::vector<std::string> listing(const fs::path& directory) {
  std::vector<std::string> entries;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(directory, error); it != fs::recursive_directory_iterator();
       it.increment(error)) {
    entries.push_back(it->path().lexically_relative(directory).string());
    if (error) break;
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<std::string> listing_without_fences(const fs::path& directory) {
  auto entries = listing(directory);
  const auto is_fence = [](const std::string& entry) {
    return fs::path(entry).filename().string().rfind(".f.", 0) == 0;
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_fence), entries.end());
  return entries;
}

fs::path only_entry(const fs::path& directory) {
  const auto entries = listing_without_fences(directory);
  if (entries.size() != 1) {
    throw std::runtime_error(directory.string() + " holds " + std::to_string(entries.size()) + " entries, not one");
  }
  return directory / entries.front();
}

}  // namespace rwlease::test
