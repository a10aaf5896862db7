// What may be removed and when a lease may be granted, worked out apart from the code under test: from what the fuzzer
// planted and from the calls at the seam alone.
#pragma once

#include "scene.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rwlease::fuzz {

// Hooks into every call of the scene's participant. A call that evicts what is not provably dead is a finding, and so
// are calls without end, and a lease that is granted beside somebody who counts.
class Oracle {
 public:
  explicit Oracle(Scene& scene);

  // From now on so many calls are allowed.
  void allow_calls(int calls) { calls_left_ = calls; }

  void check_read_grant() const;
  void check_write_grant(const std::string& own) const;

 private:
  // One entry's life, as far as its stamp shows it and this participant has looked at it.
  struct Life {
    NodePtr node;  // kept, so that its address means nobody else
    fs::Stamp stamp;
    std::vector<Nanoseconds> looks;  // at this stamp
    Nanoseconds unchanged_since{};
    bool was_emptied = false;  // a claim's directory whose dead marker was removed
  };

  void before(const test::Call& call);
  void note_changes();
  void note_look(const std::string& path);
  void check_removal(const std::string& path, bool directory);
  bool waited_out(const std::string& path, const NodePtr& node);
  bool proven_dead(const std::string& path, const NodePtr& node) const;
  bool unchanged_for(Nanoseconds window, const NodePtr& node);
  Nanoseconds least_window(const NodePtr& node) const;

  Scene& scene_;
  std::map<const test::Node*, Life> lives_;
  std::set<std::string> own_;  // names that the participant made
  int calls_left_ = 0;
};

}  // namespace rwlease::fuzz
