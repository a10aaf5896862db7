// How many requests an NFS client has sent.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace rwlease::probe {

using Requests = std::map<std::string, std::uint64_t>;  // by operation: "GETATTR"

// For the mount at that point, since it was made; the last one where several are stacked. Empty where there is none.
// `mountstats` is the text of /proc/self/mountstats.
Requests requests_of(std::string_view mountstats, const std::string& mount_point);

// What came in between.
Requests difference(const Requests& before, const Requests& after);

std::uint64_t total(const Requests& requests) noexcept;

}  // namespace rwlease::probe
