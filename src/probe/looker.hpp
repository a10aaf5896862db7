// The eyes under test.
#pragma once

#include "probe/folder.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rwlease::probe {

// Looks at another node's folder as rwlease does: forced looks at unique names, listings after an own change. The
// `forgetful` one does so; the other, for tests of the self-test, answers as it first saw things, as a client does that
// answers from its cache.
class Looker {
 public:
  Looker(const Folder& folder, bool forgetful) : folder_(folder), forgetful_(forgetful) {}

  // Has the client cache what is there, and what is not.
  void prime(const std::string& present, const std::string& absent) {
    Stamp ignored;
    std::vector<std::string> entries;
    static_cast<void>(folder_.glance(present, ignored));
    static_cast<void>(folder_.glance(absent, ignored));
    static_cast<void>(folder_.list(entries));
  }

  int look(const std::string& name, Stamp& stamp) {
    const auto known = looks_.find(name);
    if (known != looks_.end()) {
      stamp = known->second.second;
      return known->second.first;
    }
    const int error = folder_.look(name, stamp);
    if (!forgetful_) looks_[name] = {error, stamp};
    return error;
  }

  int list(const std::string& unique, std::vector<std::string>& entries) {
    if (listed_) {
      entries = listing_;
      return 0;
    }
    const int error = folder_.list_fresh(unique, entries);
    listed_ = !forgetful_;
    listing_ = entries;
    return error;
  }

 private:
  const Folder& folder_;
  bool forgetful_;
  std::map<std::string, std::pair<int, Stamp>> looks_;
  bool listed_ = false;
  std::vector<std::string> listing_;
};

}  // namespace rwlease::probe
