#include "faults/fault_scenarios.hpp"

#include <rwlease/error.hpp>

#include <cerrno>
#include <fstream>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

namespace rwlease::test {
namespace {

using namespace std::chrono_literals;

Deadline patience() { return Deadline::after(1min); }

bool shows_token(const std::string& text) {
  static const std::regex token("[0-9a-f]{32}");
  return std::regex_search(text, token);
}

std::vector<std::string> markers(const Stage& stage) {
  std::vector<std::string> found;
  for (const std::string& entry : listing_without_fences(stage.lock.directory())) {
    if (entry != "readers" && entry != "writer") found.push_back(entry);
  }
  return found;
}

void expect_right_error(const Error& error, int expected) {
  EXPECT_FALSE(error.path().empty()) << error.what();
  EXPECT_FALSE(error.operation().empty()) << error.what();
  EXPECT_FALSE(shows_token(error.what())) << error.what();
  // Not to be let into a lock directory is told as such.
  const bool unsafe = dynamic_cast<const UnsafeDirectory*>(&error) != nullptr;
  EXPECT_TRUE(unsafe || error.code().value() == expected) << error.what();
}

}  // namespace

Options short_options() {
  Options options;
  options.interval = 20ms;
  options.lease = 200ms;
  options.margin = 20ms;
  options.poll_min = 1ms;
  options.poll_max = 20ms;
  return options;
}

void Stage::take(Mode mode) { lease = lock.acquire(mode, patience()); }

void nothing(Stage&) {}
void take_read(Stage& stage) { stage.take(Mode::read); }
void take_write(Stage& stage) { stage.take(Mode::write); }

void warm_up(Stage& stage) {
  for (const Mode mode : {Mode::read, Mode::write}) {
    stage.take(mode);
    stage.lease.release();
  }
}

void release(Stage& stage) { stage.lease.release(); }
void downgrade(Stage& stage) { stage.lease = std::move(stage.lease).downgrade(); }
void verify(Stage& stage) { static_cast<void>(stage.lease.verify()); }
void survey(Stage& stage) { static_cast<void>(stage.lock.status()); }

void write_and_finish_file(Stage& stage) {
  take_write(stage);
  std::ofstream(stage.scratch / "new") << "finished";
}

void publish(Stage& stage) { stage.lease.publish(stage.scratch / "new", stage.scratch / "data"); }

std::string name_of(const ::testing::TestParamInfo<Scenario>& info) { return info.param.name; }

void each_injection(const std::function<bool(const Injection&)>& run) {
  for (const int error : {EINTR, EIO, ESTALE, ENOSPC, EDQUOT, EACCES, EROFS, ENAMETOOLONG, EMFILE, ETIMEDOUT, ELOOP}) {
    for (const bool carried_out : {false, true}) {
      // The system interrupts only what has done nothing yet.
      if (error == EINTR && carried_out) continue;
      int nth = 1;
      while (!::testing::Test::HasFailure() && run({nth, error, carried_out})) ++nth;
    }
  }
}

bool run(const Scenario& scenario, const Injection& injection) {
  Stage stage;
  scenario.prepare(stage);
  Injector injector(Counted::this_thread, injection);
  Injected injected;
  try {
    scenario.act(stage);
    injected = injector.stop();
  } catch (const Error& error) {
    injected = injector.stop();
    SCOPED_TRACE(describe(injected, injection));
    expect_right_error(error, injection.error);
  }
  SCOPED_TRACE(describe(injected, injection));
  expect_clean(stage, keeps_entry(injected, injection));
  return injected.hit();
}

std::string describe(const Injected& injected, const Injection& injection) {
  return injected.call + (injection.carried_out ? ": reply lost, " : ": refused, ") +
         std::generic_category().message(injection.error);
}

bool keeps_entry(const Injected& injected, const Injection& injection) {
  const bool removes = injected.call.compare(0, 8, "unlinkat") == 0;
  const int error = injection.error;
  const bool passes = error == EINTR || error == EIO || error == ESTALE || error == EMFILE || error == ETIMEDOUT;
  return removes && !passes && !injection.carried_out;
}

void expect_clean(Stage& stage, bool entry_kept) {
  if (stage.lease.valid()) {
    EXPECT_GE(markers(stage).size(), 1U);
    EXPECT_LE(markers(stage).size(), entry_kept ? 2U : 1U) << ::testing::PrintToString(markers(stage));
    EXPECT_TRUE(stage.lease.verify());
  }
  stage.lease.release();
  if (!entry_kept) {
    EXPECT_TRUE(markers(stage).empty()) << ::testing::PrintToString(markers(stage));
  }
  Lock next(stage.lock.name(), short_options());
  EXPECT_NO_THROW(next.acquire(Mode::write, patience()));
}

}  // namespace rwlease::test
