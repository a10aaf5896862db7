#include "protocol/fence.hpp"

#include "protocol/failure.hpp"
#include "protocol/marker.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::protocol {
namespace {

// Beyond this nobody counts on: microseconds since the epoch take 51 bits for the next decades.
constexpr std::uint64_t largest_fence = std::uint64_t{1} << 62U;

constexpr const char* operation = "drawing a fence in";

fs::Result make_fence(const Site& site, std::uint64_t number) {
  return site.marker_kind == MarkerKind::symlink ? site.directory->make_symlink("fence", fence_path(number))
                                                 : site.directory->make_file("", fence_path(number), site.file_mode());
}

// The newest fence is moved on to the new number, so that there is one at every moment. False when it is not there:
// a late step of a writer that is over took it.
bool move_fence(const Site& site, std::uint64_t from, std::uint64_t to) {
  const fs::Result result = from == 0 ? make_fence(site, to) : site.directory->rename(fence_path(from), fence_path(to));
  if (result.ok()) return true;
  if (result.error() == ENOENT || result.error() == EEXIST) return false;
  fail(operation, site.readers_path(), result);
}

// When readers/ was last changed, by the server's clock: not before the own claim, and so after all earlier ones. The
// own marker's time would not do, for that may have waited since.
fs::Result server_time(const Site& site, std::uint64_t& microseconds) {
  fs::Attributes readers;
  const fs::Result looked = site.directory->glance(readers_name, readers);
  if (looked.ok()) microseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(readers.stamp.mtime_ns, 0) / 1000);
  return looked;
}

void remove_older(const Site& site, const std::vector<fs::Entry>& readers, std::uint64_t newest) {
  for (const fs::Entry& entry : readers) {
    const auto older = fence_number(entry.name);
    if (older && *older < newest) static_cast<void>(remove_entry(site, fence_path(*older)));
  }
}

}  // namespace

std::uint64_t newest_fence(const std::vector<fs::Entry>& readers) {
  std::uint64_t newest = 0;
  for (const fs::Entry& entry : readers) newest = std::max(newest, fence_number(entry.name).value_or(0));
  return newest;
}

std::uint64_t draw_fence(const Site& site, std::vector<fs::Entry> readers) {
  // Each turn but the last has met the late step of another writer that is over.
  constexpr int turns = 16;
  // The server's time keeps numbers growing when the lock directory was removed with all its fences, and when a late
  // step moved the fence past this listing, so that it shows neither the old name nor the new.
  std::uint64_t now = 0;
  const fs::Result looked = server_time(site, now);
  if (!looked.ok()) fail(operation, site.readers_path(), looked);
  for (int i = 0; i < turns; ++i) {
    const std::uint64_t newest = newest_fence(readers);
    if (newest >= largest_fence) break;
    const std::uint64_t number = std::max(newest + 1, now);
    if (move_fence(site, newest, number)) {
      remove_older(site, readers, newest);
      return number;
    }
    const fs::Result changed = change_directory_itself(site, readers_name);
    if (!changed.ok()) fail("changing", site.readers_path(), changed);
    readers = list_readers(site);
  }
  throw Error(operation, site.readers_path(), "no number is to be had; remove the entries .f.* there",
              std::error_code(EOVERFLOW, std::generic_category()));
}

std::vector<fs::Entry> list_readers(const Site& site) {
  std::vector<fs::Entry> entries;
  const fs::Result result = site.directory->list_lasting(readers_name, entries);
  if (!result.ok()) fail("listing", site.readers_path(), result);
  return entries;
}

}  // namespace rwlease::protocol
