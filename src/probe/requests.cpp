#include "probe/requests.hpp"

#include <algorithm>
#include <sstream>

namespace rwlease::probe {
namespace {

// "device server:/export mounted on /mnt with fstype nfs4 statvers=1.1"
bool begins_device(const std::string& line) { return line.rfind("device ", 0) == 0; }

bool is_operation(const std::string& word) {
  return word.size() > 1 && word.back() == ':' &&
         std::all_of(word.begin(), word.end() - 1, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

}  // namespace

Requests requests_of(std::string_view mountstats, const std::string& mount_point) {
  Requests requests;
  bool here = false;
  bool counting = false;
  std::istringstream lines{std::string(mountstats)};
  for (std::string line; std::getline(lines, line);) {
    if (begins_device(line)) {
      here = line.find(" mounted on " + mount_point + " with ") != std::string::npos;
      counting = false;
      if (here) requests.clear();
      continue;
    }
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (here && first == "per-op") counting = true;
    std::uint64_t sent = 0;
    if (counting && is_operation(first) && words >> sent) requests[first.substr(0, first.size() - 1)] = sent;
  }
  return requests;
}

Requests difference(const Requests& before, const Requests& after) {
  Requests since;
  for (const auto& [operation, sent] : after) {
    const auto earlier = before.find(operation);
    const std::uint64_t count = sent - (earlier == before.end() ? 0 : earlier->second);
    if (count != 0) since[operation] = count;
  }
  return since;
}

std::uint64_t total(const Requests& requests) noexcept {
  std::uint64_t sum = 0;
  for (const auto& [operation, sent] : requests) sum += sent;
  return sum;
}

}  // namespace rwlease::probe
