#include "nodes.hpp"

#include <sys/utsname.h>

#include <algorithm>

namespace rwlease::selftest {
namespace {

constexpr std::size_t most_seats_of_one_node = 8;

std::string host_name() {
  struct utsname names = {};
  return uname(&names) == 0 ? names.nodename : "unnamed";
}

// The lowest rank with which this one can share memory.
std::int64_t memory_leader(const Team& all) {
  all.barrier();
  MPI_Comm sharing = MPI_COMM_NULL;
  MPI_Comm_split_type(all.handle(), MPI_COMM_TYPE_SHARED, all.rank(), MPI_INFO_NULL, &sharing);
  int leader = all.rank();
  MPI_Bcast(&leader, 1, MPI_INT, 0, sharing);
  MPI_Comm_free(&sharing);
  return leader;
}

struct Identity {
  std::int64_t leader;
  std::string host;
};

std::vector<Identity> identities(const Team& all, int pretended) {
  const std::int64_t part = pretended > 0 ? all.rank() % pretended : memory_leader(all);
  const auto leaders = all.gather(part);
  const auto hosts = all.gather(pretended > 0 ? "pretended-" + std::to_string(part) : host_name());
  std::vector<Identity> identities;
  for (std::size_t rank = 0; rank < leaders.size(); ++rank) identities.push_back({leaders[rank], hosts[rank]});
  return identities;
}

void choose_seats(Nodes& nodes) {
  std::vector<bool> taken(nodes.hosts.size(), false);
  for (std::size_t rank = 0; rank < nodes.of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(nodes.of_rank[rank]);
    const bool sits = nodes.count() == 1 ? rank < most_seats_of_one_node : !taken[node];
    if (sits) nodes.seats.push_back(static_cast<int>(rank));
    taken[node] = true;
  }
}

}  // namespace

int Nodes::ranks_of(int node) const { return static_cast<int>(std::count(of_rank.begin(), of_rank.end(), node)); }

const std::string& Nodes::host_of(int rank) const {
  return hosts[static_cast<std::size_t>(of_rank[static_cast<std::size_t>(rank)])];
}

std::string Nodes::shown(int rank) const { return "rank " + std::to_string(rank) + " on " + host_of(rank); }

Nodes find_nodes(const Team& all, int pretended) {
  Nodes nodes;
  std::vector<std::int64_t> leaders;
  for (const Identity& identity : identities(all, pretended)) {
    std::size_t node = 0;
    while (node < leaders.size() && leaders[node] != identity.leader && nodes.hosts[node] != identity.host) ++node;
    if (node == leaders.size()) {
      leaders.push_back(identity.leader);
      nodes.hosts.push_back(identity.host);
    }
    nodes.of_rank.push_back(static_cast<int>(node));
  }
  choose_seats(nodes);
  return nodes;
}

}  // namespace rwlease::selftest
