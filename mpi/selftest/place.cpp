#include "place.hpp"

#include "probe/own_directory.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <cerrno>

namespace rwlease::selftest {
namespace {

std::string name_of(int rank) { return "rank." + std::to_string(rank); }

template <class Act>
std::string trouble_of(Act act) {
  try {
    return act();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

Place::Place(const Team& all, const Nodes& nodes, const std::string& directory) {
  create(all, directory);
  if (!obstruction_) meet(all, nodes);
}

// Every rank looks where it was told to: where the ranks were told different things, that shows as well.
void Place::create(const Team& all, const std::string& directory) {
  std::string made;
  std::string trouble;
  if (all.rank() == 0) trouble = probe::make_unique_directory(directory, "rwlease-selftest", made);
  obstruction_.why = all.from(0, trouble);
  const std::string name = all.from(0, made);
  if (!obstruction_) path_ = directory + name.substr(name.rfind('/'));
}

void Place::meet(const Team& all, const Nodes& nodes) {
  refuse(all, nodes, trouble_of([&] { return enter(all.rank()); }));
  if (obstruction_) return;
  refuse(all, nodes, trouble_of([&] { return see_all(all.size(), all.rank()); }));
}

std::string Place::enter(int rank) const {
  const Folder folder(path_);
  int error = folder.make_marker(name_of(rank), "here");
  if (error == EPERM || error == EOPNOTSUPP) error = Folder(path_, MarkerKind::file).make_marker(name_of(rank), "here");
  folder.require(error, "making", name_of(rank));
  return {};
}

std::string Place::see_all(int ranks, int own) const {
  const Folder folder(path_, MarkerKind::file);
  std::vector<std::string> entries;
  folder.require(folder.list_fresh("meet-" + std::to_string(own), entries), "listing", "");
  for (int rank = 0; rank < ranks; ++rank) {
    if (std::find(entries.begin(), entries.end(), name_of(rank)) == entries.end()) {
      return "does not see in " + path_ + " what rank " + std::to_string(rank) + " made there";
    }
  }
  return {};
}

// The first rank's trouble, told by all alike.
void Place::refuse(const Team& all, const Nodes& nodes, const std::string& trouble) {
  const auto all_troubles = all.gather(trouble.substr(0, 300));
  for (int rank = 0; rank < all.size(); ++rank) {
    const std::string& one = all_troubles[static_cast<std::size_t>(rank)];
    if (one.empty()) continue;
    obstruction_ = {
        true, "the directory is not shared by these ranks, or not writable by all: " + nodes.shown(rank) + ": " + one};
    return;
  }
}

bool Place::remove() const noexcept { return probe::remove_patiently(path_); }

void furnish(const Team& all, const Nodes& nodes, const std::string& place) {
  if (all.rank() == 0) {
    const Folder folder(place);
    for (const char* name : {"claims", "freshness", "cost"}) {
      folder.require(folder.make_directory(name), "making", name);
    }
    for (std::size_t seat = 0; seat < nodes.seats.size(); ++seat) {
      const std::string name = "freshness/" + std::to_string(seat);
      folder.require(folder.make_directory(name), "making", name);
    }
  }
  all.barrier();
}

}  // namespace rwlease::selftest
