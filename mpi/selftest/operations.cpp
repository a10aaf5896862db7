#include "operations.hpp"

namespace rwlease::selftest {
namespace {

constexpr std::array<std::string_view, operation_count> operation_names{{
    "acquire_read",
    "release_read",
    "acquire_write",
    "release_write",
    "collective_acquire",
    "collective_check",
    "collective_release",
    "hand_off",
    "recovery",
    "heartbeat_gap",
    "make_marker",
    "publish_marker",
    "touch",
    "look",
    "list_fresh",
    "remove_marker",
    "make_directory",
    "claim",
    "remove_directory",
}};

constexpr std::array<std::string_view, load_count> load_names{{"alone", "together", "contended"}};

}  // namespace

std::string_view to_string(Operation operation) noexcept {
  return operation_names[static_cast<std::size_t>(operation)];
}

std::string_view to_string(Load load) noexcept { return load_names[static_cast<std::size_t>(load)]; }

}  // namespace rwlease::selftest
