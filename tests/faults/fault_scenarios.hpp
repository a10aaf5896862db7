// A lock of its own for each failure, and what must be true after it.
#pragma once

#include "faults/injector.hpp"
#include "support/scratch.hpp"

#include <rwlease/lease.hpp>
#include <rwlease/lock.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace rwlease::test {

// So short that what cannot be removed is soon waited out.
Options short_options();

struct Stage {
  Scratch scratch;
  Lock lock{scratch / "data", short_options()};
  Lease lease;

  void take(Mode mode);
};

// Steps of a scenario.
void nothing(Stage& stage);
void take_read(Stage& stage);
void take_write(Stage& stage);
void warm_up(Stage& stage);
void release(Stage& stage);
void downgrade(Stage& stage);
void verify(Stage& stage);
void survey(Stage& stage);
void write_and_finish_file(Stage& stage);
void publish(Stage& stage);

struct Scenario {
  const char* name;
  void (*prepare)(Stage&);
  void (*act)(Stage&);  // what is to meet the failure
};

std::string name_of(const ::testing::TestParamInfo<Scenario>& info);

// Calls `run` for the first call, the second and so on, with every error and fate, as long as it returns true.
void each_injection(const std::function<bool(const Injection&)>& run);

// False when there were fewer calls than that.
bool run(const Scenario& scenario, const Injection& injection);

std::string describe(const Injected& injected, const Injection& injection);

// An entry that the system does not let go stays; its lease runs out.
bool keeps_entry(const Injected& injected, const Injection& injection);

// A lease in force has its marker; a released one has not, and the next acquire works.
void expect_clean(Stage& stage, bool entry_kept);

}  // namespace rwlease::test
