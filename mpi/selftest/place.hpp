// The self-test's own directory below DIR.
#pragma once

#include "file_calls.hpp"
#include "nodes.hpp"
#include "team.hpp"

#include <string>

namespace rwlease::selftest {

// Why there is nothing to test, or nothing left to test. Empty: all is well.
struct Obstruction {
  bool refused = false;  // it tells against DIR as shared by these nodes; else DIR cannot be used at all
  std::string why;

  explicit operator bool() const noexcept { return !why.empty(); }
};

class Place {
 public:
  // Collective: rank 0 makes a directory with a name that nobody has used, all ranks enter it and see that the others
  // do. Check obstruction() before anything else; it is the same on all ranks.
  Place(const Team& all, const Nodes& nodes, const std::string& directory);

  const Obstruction& obstruction() const noexcept { return obstruction_; }
  const std::string& path() const noexcept { return path_; }

  // On rank 0: removes it with all that is in it. False if something is left after a few tries.
  bool remove() const noexcept;

 private:
  void create(const Team& all, const std::string& directory);
  void meet(const Team& all, const Nodes& nodes);
  std::string enter(int rank) const;
  std::string see_all(int ranks, int own) const;
  void refuse(const Team& all, const Nodes& nodes, const std::string& trouble);

  std::string path_;
  Obstruction obstruction_;
};

// Collective: makes the folders that phases expect.
void furnish(const Team& all, const Nodes& nodes, const std::string& place);

}  // namespace rwlease::selftest
