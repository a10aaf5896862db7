#include "process/participant/points.hpp"

#include "process/participant/report.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace rwlease::test {
namespace {

// Async-signal-safe as far as nothing is planned: the library's signal handler comes through here too.
struct Point {
  const char* name;
  std::atomic<PointAction> action{PointAction::none};
  std::atomic<int> nth{1};
  std::atomic<int> left{0};
};

Point points[] = {{"probed"},     {"reader-prepared"}, {"reader-published"}, {"reader-withdrawn"},
                  {"claim-made"}, {"claim-prepared"},  {"claim-refused"},    {"claimed"},
                  {"changed"},    {"fenced"},          {"writer-half-left"}, {"beat"},
                  {"looked"}};

Point* find(const char* name) {
  const auto named = [name](const Point& point) { return std::strcmp(point.name, name) == 0; };
  Point* found = std::find_if(std::begin(points), std::end(points), named);
  return found == std::end(points) ? nullptr : found;
}

PointAction action_at(const char* name) {
  Point* point = find(name);
  const PointAction action = point->action.load();
  if (action == PointAction::stop_each) {
    if (point->left.fetch_sub(1) != 1) return PointAction::none;
    point->left.store(point->nth.load());
    return PointAction::stop;
  }
  if (action == PointAction::stop || action == PointAction::die) {
    return point->left.fetch_sub(1) == 1 ? action : PointAction::none;
  }
  return action;
}

void reach(const char* name) {
  const int saved = errno;
  const PointAction action = action_at(name);
  if (action != PointAction::none) report("point", name);
  if (action == PointAction::stop) ::raise(SIGSTOP);
  if (action == PointAction::die) ::raise(SIGKILL);
  errno = saved;
}

bool refuses_beats() { return find("beat")->action.load() == PointAction::refuse; }

bool begins(const char* text, std::string_view beginning) {
  return std::string_view(text).substr(0, beginning.size()) == beginning;
}

bool is(const char* text, std::string_view other) { return text == other; }

int plain(long outcome) { return static_cast<int>(outcome); }

}  // namespace

void set_point(const std::string& name, PointAction action, int nth) {
  Point* point = find(name.c_str());
  if (point == nullptr) throw std::runtime_error("no such point: " + name);
  point->nth.store(nth);
  point->left.store(nth);
  point->action.store(action);
}

}  // namespace rwlease::test

using rwlease::test::begins;
using rwlease::test::is;
using rwlease::test::plain;
using rwlease::test::reach;
using rwlease::test::refuses_beats;

// The library's calls find these only if the program shows them.
#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are reserved ones.
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

int statx(int directory, const char* name, int flags, unsigned mask, struct statx* found) noexcept {
  const int outcome = plain(::syscall(SYS_statx, directory, name, flags, mask, found));
  if (outcome == 0 && (flags & AT_STATX_FORCE_SYNC) != 0 && !is(name, "")) reach("looked");
  return outcome;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#pragma GCC visibility pop
