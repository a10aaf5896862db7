#include "lock_order.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <string>
#include <system_error>

namespace rwlease::cli {
namespace {

using Components = std::vector<std::string>;

// The last component first: hosts agree on the end of a path, not on where it is mounted. The lock's own name is never
// followed: the lock is kept beside it.
Components backwards(const std::filesystem::path& name) {
  std::error_code error;
  const auto directory = std::filesystem::weakly_canonical(name.parent_path(), error);
  const auto whole = (error ? name.parent_path().lexically_normal() : directory) / name.filename();
  Components components;
  for (const auto& component : whole) components.push_back(component.string());
  std::reverse(components.begin(), components.end());
  return components;
}

}  // namespace

std::vector<std::size_t> fixed_order(const std::vector<LockPlace>& places) {
  std::vector<Components> keys;
  std::vector<std::size_t> order;
  for (const LockPlace& place : places) {
    keys.push_back(backwards(place.name));
    order.push_back(order.size());
  }
  std::sort(order.begin(), order.end(), [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  const auto twice = std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return keys[a] == keys[b] && places[a].mode != places[b].mode;
  });
  if (twice != order.end()) {
    throw UsageError("acquiring leases on", places[*twice].name.string(),
                     "it was named twice, to read and to write; to write is enough");
  }
  return order;
}

}  // namespace rwlease::cli
