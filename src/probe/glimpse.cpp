#include "probe/glimpse.hpp"

#include <rwlease/error.hpp>

#include <algorithm>
#include <utility>

namespace rwlease::probe {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Glimpse::Glimpse(const Folder& own, const Folder& theirs, bool forgetful, std::string unique, std::string looker,
                 GlimpseReport report)
    : own_(own),
      theirs_(theirs),
      eyes_(theirs, forgetful),
      unique_(std::move(unique)),
      looker_(std::move(looker)),
      report_(std::move(report)) {}

std::vector<Glimpse::Step> Glimpse::steps() {
  return {
      {[this] { make("m"); }, [this] { prime(); }},
      {[this] { touch("m"); }, [this] { expect_touched("m"); }},
      {[this] { make("n"); }, [this] { expect_listed("n", true); }},
      {[this] { remove("m"); }, [this] { expect_gone("m"); }},
      {[this] { move("n", "o"); }, [this] { expect_moved("n", "o"); }},
      {[this] { remove("o"); }, [this] { expect_listed("o", false); }},
  };
}

void Glimpse::make(const char* name) const { own_.require(own_.make_marker(named(name), "x"), "making", named(name)); }

void Glimpse::touch(const char* name) const {
  if (own_.touch_until_moved(named(name))) return;
  throw Error("touching", own_.path() + "/" + named(name), "its time does not move");
}

void Glimpse::remove(const char* name) const { own_.require(own_.remove(named(name)), "removing", named(name)); }

void Glimpse::move(const char* from, const char* to) const {
  own_.require(own_.rename(named(from), named(to)), "renaming", named(from));
}

void Glimpse::prime() {
  eyes_.prime(named("m"), named("n"));
  if (eyes_.look(named("m"), seen_) != 0) report_.complain("a marker just made was not seen");
  std::vector<std::string> entries;
  static_cast<void>(eyes_.list(unique_ + "-p-" + looker_, entries));
}

int Glimpse::timed_look(const char* name, Stamp& stamp) {
  const auto begin = Clock::now();
  const int error = eyes_.look(named(name), stamp);
  report_.looked(Clock::now() - begin);
  return error;
}

void Glimpse::expect_touched(const char* name) {
  Stamp now;
  if (timed_look(name, now) != 0 || now == seen_) report_.complain("a heartbeat was not seen by a forced look");
}

void Glimpse::expect_gone(const char* name) {
  Stamp now;
  if (!is_absent(timed_look(name, now))) report_.complain("a removal was not seen by a forced look");
}

void Glimpse::expect_listed(const char* name, bool expected) {
  std::vector<std::string> entries;
  const auto begin = Clock::now();
  const int error = eyes_.list(unique_ + "-" + name + looker_, entries);
  report_.listed(Clock::now() - begin);
  if (error != 0) return report_.complain("a listing failed");
  const bool listed = std::find(entries.begin(), entries.end(), named(name)) != entries.end();
  if (listed == expected) return;
  report_.complain(expected ? "an entry just made was not listed after an own change"
                            : "an entry just removed was still listed after an own change");
}

// A look at the old name may go on showing the entry, because clients ask by its handle; rwlease relies on two other
// things: a removal by the old name, however late, hits nothing, and a listing shows the new name alone.
void Glimpse::expect_moved(const char* from, const char* to) {
  report_.removed_late();
  if (!is_absent(theirs_.remove(named(from)))) {
    report_.complain("a removal by the name before a renaming did something");
  }
  expect_listed(to, true);
  expect_listed(from, false);
}

}  // namespace rwlease::probe
