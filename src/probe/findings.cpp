#include "probe/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace rwlease::probe {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::nanoseconds whole_second = std::chrono::seconds(1);

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

class Adviser {
 public:
  Advice of(const Findings& findings) {
    for (const DirectoryFindings& each : findings.directories) directory(each);
    for (const Freshness& each : findings.freshness) freshness(each);
    for (const std::string& sentence : findings.remarks) note(sentence);
    for (const std::string& sentence : findings.apart) advice_.against.push_back(sentence);
    return std::move(advice_);
  }

 private:
  void directory(const DirectoryFindings& found) {
    const std::string& where = found.directory;
    if (!found.time_step.trouble.empty())
      advice_.against.push_back(where + ": no heartbeats: " + found.time_step.trouble);
    for (const Check& check : found.checks) {
      if (!check.passed && check.needed)
        advice_.against.push_back(where + ": cannot " + check.name + ": " + check.observed);
    }
    if (found.mount) mount(where, *found.mount);
    times(found);
    costs(found);
  }

  void mount(const std::string& where, const Mount& mount) {
    if (reach_of(mount.type) == Reach::this_host) {
      note(where + ": " + mount.type + " is a file system of this host alone; other hosts do not see these leases");
    }
    if (!mount.is_nfs()) return;
    if (mount.has("nocto")) {
      note(where +
           ": nocto: leases hold, but your files may be read stale; look with AT_STATX_FORCE_SYNC before opening");
    }
    if (mount.has("soft") || mount.has("softerr")) {
      note(where + ": soft: while the server is away heartbeats and acquires fail instead of waiting; leases hold");
    }
    if (mount.has("softreval")) {
      note(where + ": softreval: cached attributes are served while the server is away; rwlease does not use them");
    }
    const auto locks = mount.value("local_lock");
    if (locks && *locks != "none") {
      note(where + ": local_lock=" + *locks + ": flock or fcntl locks of other programs hold on this host only");
    }
  }

  void times(const DirectoryFindings& found) {
    if (found.time_step.step >= whole_second) {
      note(found.directory + ": times are kept in whole seconds: --interval must be 2 or more");
      at_least(milliseconds(6'000));
    }
    if (found.clock && std::abs(found.clock->seconds) - found.clock->uncertainty > 1) {
      note(found.directory + ": this host's clock is " + seconds_text(std::abs(found.clock->seconds)) +
           (found.clock->seconds > 0 ? " ahead of" : " behind") +
           " the file server's; leases compare no clocks, but the ages that 'rwlease status' shows are off by it");
    }
  }

  // A heartbeat is one call of several in an acquire; it must fit many times into what is left of a lease.
  void costs(const DirectoryFindings& found) {
    constexpr int calls_in_a_lease = 50;
    for (const CallCost& cost : found.costs) {
      at_least(std::chrono::ceil<std::chrono::seconds>(cost.worst * calls_in_a_lease));
    }
  }

  void freshness(const Freshness& found) {
    if (found.failures == 0) return;
    advice_.against.push_back(found.looked + " shows old state (" + std::to_string(found.failures) +
                              " times): " + found.first_failure + ", made in " + found.changed);
  }

  void at_least(milliseconds lease) {
    advice_.shortest_lease = std::max(advice_.shortest_lease, lease);
    advice_.lease = std::max(advice_.lease, advice_.shortest_lease);
    advice_.interval = advice_.lease / 3;
  }

  void note(const std::string& sentence) { advice_.notes.push_back(sentence); }

  Advice advice_;
};

}  // namespace

Advice advise(const Findings& findings) { return Adviser().of(findings); }

}  // namespace rwlease::probe
