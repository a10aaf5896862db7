#include "process/participant/points.hpp"

#include "process/participant/report.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <string_view>

namespace rwlease::test {
namespace {

struct Planned {
  PointAction action = PointAction::none;
  int left = 0;
};

std::mutex mutex;  // guards planned(); the library calls from several threads

std::map<std::string, Planned>& planned() {
  static auto* map = new std::map<std::string, Planned>;
  return *map;
}

PointAction action_at(const std::string& point) {
  const std::lock_guard<std::mutex> guard(mutex);
  const auto found = planned().find(point);
  if (found == planned().end()) return PointAction::none;
  Planned& plan = found->second;
  if (plan.action == PointAction::tell || plan.action == PointAction::refuse) return plan.action;
  return --plan.left == 0 ? plan.action : PointAction::none;
}

void reach(const char* point) {
  const int saved = errno;
  const PointAction action = action_at(point);
  if (action != PointAction::none) report("point", point);
  if (action == PointAction::stop) ::raise(SIGSTOP);
  if (action == PointAction::die) ::raise(SIGKILL);
  errno = saved;
}

bool refuses_beats() { return action_at("beat") == PointAction::refuse; }

bool begins(const char* text, std::string_view beginning) {
  return std::string_view(text).substr(0, beginning.size()) == beginning;
}

bool is(const char* text, std::string_view other) { return text == other; }

int plain(long outcome) { return static_cast<int>(outcome); }

}  // namespace

void set_point(const std::string& point, PointAction action, int nth) {
  const std::lock_guard<std::mutex> guard(mutex);
  planned()[point] = Planned{action, nth};
}

}  // namespace rwlease::test

using rwlease::test::begins;
using rwlease::test::is;
using rwlease::test::plain;
using rwlease::test::reach;
using rwlease::test::refuses_beats;

// The library's calls find these only if the program shows them.
#pragma GCC visibility push(default)
extern "C" {

int symlinkat(const char* target, int directory, const char* name) noexcept {
  const int outcome = plain(::syscall(SYS_symlinkat, target, directory, name));
  if (outcome == 0 && begins(name, ".p.")) reach("probed");
  if (outcome == 0 && begins(name, "readers/.o.")) reach("changed");
  if (outcome == 0 && begins(name, "readers/.f.")) reach("fenced");
  return outcome;
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  const bool fences = begins(to, "readers/.f.");
  const bool reads = begins(to, "readers/") && !fences;
  const bool claims = is(to, "writer");
  if (reads) reach("reader-prepared");
  if (claims) reach("claim-prepared");
  const int outcome = plain(::syscall(SYS_renameat2, from_directory, from, to_directory, to, 0));
  if (outcome == 0 && reads) reach("reader-published");
  if (outcome == 0 && fences) reach("fenced");
  if (claims) reach(outcome == 0 ? "claimed" : "claim-refused");
  return outcome;
}

int mkdirat(int directory, const char* name, mode_t mode) noexcept {
  const int outcome = plain(::syscall(SYS_mkdirat, directory, name, mode));
  if (outcome == 0 && begins(name, "readers/.w.")) reach("claim-made");
  return outcome;
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  const int outcome = plain(::syscall(SYS_unlinkat, directory, name, flags));
  if (outcome == 0 && begins(name, "readers/") && !begins(name, "readers/.")) reach("reader-withdrawn");
  if (outcome == 0 && begins(name, "writer/")) reach("writer-half-left");
  return outcome;
}

int utimensat(int directory, const char* name, const struct timespec* times, int flags) noexcept {
  if (times == nullptr && refuses_beats()) {
    errno = EACCES;
    return -1;
  }
  const int outcome = plain(::syscall(SYS_utimensat, directory, name, times, flags));
  if (outcome == 0 && times == nullptr) reach("beat");
  return outcome;
}

}  // extern "C"
#pragma GCC visibility pop
