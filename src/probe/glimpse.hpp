// What one has changed in a directory, as another sees it.
#pragma once

#include "probe/folder.hpp"
#include "probe/looker.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rwlease::probe {

// Who is told of what is seen.
struct GlimpseReport {
  std::function<void(const std::string& what)> complain;  // something old was seen
  std::function<void(std::chrono::nanoseconds)> looked;
  std::function<void(std::chrono::nanoseconds)> listed;
  std::function<void()> removed_late;
};

// One makes, touches, renames and removes entries in `own`. After each change the other, who has had the old state
// cached, looks at `theirs`: the same directory by another way, or that of a partner who does the same there. Whoever
// takes the steps sees to it that a change is done before the look.
class Glimpse {
 public:
  struct Step {
    std::function<void()> change;
    std::function<void()> look;
  };

  // `unique` is in the names, which must be new in both directories; `looker` in those of the looker's own changes.
  // `forgetful`: as Looker has it.
  Glimpse(const Folder& own, const Folder& theirs, bool forgetful, std::string unique, std::string looker,
          GlimpseReport report);

  // In this order. Changes throw rwlease::Error. The steps must not outlive this object.
  std::vector<Step> steps();

 private:
  std::string named(const char* name) const { return name + unique_; }
  void make(const char* name) const;
  void touch(const char* name) const;
  void remove(const char* name) const;
  void move(const char* from, const char* to) const;
  void prime();
  int timed_look(const char* name, Stamp& stamp);
  void expect_touched(const char* name);
  void expect_gone(const char* name);
  void expect_listed(const char* name, bool expected);
  void expect_moved(const char* from, const char* to);

  const Folder& own_;
  const Folder& theirs_;
  Looker eyes_;
  const std::string unique_;
  const std::string looker_;
  const GlimpseReport report_;
  Stamp seen_;
};

}  // namespace rwlease::probe
