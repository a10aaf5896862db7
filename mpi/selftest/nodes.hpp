// Which ranks share a node, and which ranks speak for their nodes.
#pragma once

#include "team.hpp"

#include <string>
#include <vector>

namespace rwlease::selftest {

// The same on every rank.
struct Nodes {
  std::vector<int> of_rank;        // each rank's node
  std::vector<std::string> hosts;  // each node's name

  // One rank of each node; where there is one node only, up to eight of its ranks. What depends on the file system's
  // client is tested between these.
  std::vector<int> seats;

  int count() const { return static_cast<int>(hosts.size()); }
  int ranks_of(int node) const;
  const std::string& host_of(int rank) const;

  // "rank 3 on node07"
  std::string shown(int rank) const;
};

// Collective. Ranks are on one node when they can share memory or have the same host name. With `pretended` above
// zero the ranks are dealt out to so many made-up nodes instead.
Nodes find_nodes(const Team& all, int pretended);

}  // namespace rwlease::selftest
