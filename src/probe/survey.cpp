#include "probe/survey.hpp"

#include "probe/interrupt.hpp"
#include "probe/own_directory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace rwlease::probe {
namespace {

constexpr const char* own_prefix = ".rwlease-probe";

void go_on() {
  if (const int signal = noted_signal()) throw Interrupted(signal);
}

DirectoryFindings probe_one(const std::string& directory, const std::string& place) {
  DirectoryFindings found;
  found.directory = directory;
  found.mount = find_mount(read_proc("mountinfo"), std::filesystem::canonical(directory).string());
  found.time_step = measure_time_step(place);
  go_on();
  if (!found.time_step.trouble.empty()) return found;
  found.checks = check_calls(place, found.time_step.kind);
  go_on();
  found.clock = measure_clock_offset(place, "clock", found.time_step);
  const bool works = std::all_of(found.checks.begin(), found.checks.end(),
                                 [](const Check& check) { return check.passed || !check.needed; });
  if (works) found.costs = measure_lease_cost(place, found.mount.value_or(Mount()), go_on);
  return found;
}

// Whether the second directory shows what was made in the first.
bool shows(const std::string& directory, const std::string& name) {
  std::vector<std::string> entries;
  const Folder folder(directory, MarkerKind::file);
  return folder.list_fresh("rwlease-probe-" + name, entries) == 0 &&
         std::find(entries.begin(), entries.end(), name) != entries.end();
}

bool are_one_mount(const std::string& one, const std::string& other) {
  struct stat first = {};
  struct stat second = {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev;
}

void compare(Findings& findings, std::size_t first, std::size_t second) {
  const DirectoryFindings& one = findings.directories[first];
  const std::string& other = findings.directories[second].directory;
  const OwnDirectory place(one.directory, own_prefix);
  if (!shows(other, place.name())) {
    if (first > second) return;
    findings.apart.push_back(other + " does not show what is made in " + one.directory +
                             ": they are not the same directory");
    return;
  }
  if (first < second && are_one_mount(one.directory, other)) {
    findings.remarks.push_back(one.directory + " and " + other +
                               " share one cache: looking from one at the other shows little");
  }
  Freshness found = test_between(place.path(), other + "/" + place.name(), one.time_step.kind, go_on);
  found.changed = one.directory;
  found.looked = other;
  findings.freshness.push_back(std::move(found));
}

}  // namespace

Findings probe_directories(const std::vector<std::string>& directories) {
  Findings findings;
  for (const std::string& directory : directories) {
    const OwnDirectory place(directory, own_prefix);
    findings.directories.push_back(probe_one(directory, place.path()));
  }
  for (std::size_t first = 0; first < directories.size(); ++first) {
    for (std::size_t second = 0; second < directories.size(); ++second) {
      if (first != second) compare(findings, first, second);
    }
  }
  return findings;
}

}  // namespace rwlease::probe
