// The same where symlinks don't work and markers are files. A program of its own, because a process finds out once for
// each mount.
#include "faults/fault_scenarios.hpp"

namespace rwlease::test {
namespace {

class FileMarkerFaultTest : public ::testing::TestWithParam<Scenario> {
 protected:
  void SetUp() override { refuse_symlinks(); }
};

TEST_P(FileMarkerFaultTest, EveryCallInEveryWay) {
  each_injection([](const Injection& injection) { return run(GetParam(), injection); });
}

INSTANTIATE_TEST_SUITE_P(Each, FileMarkerFaultTest,
                         ::testing::Values(Scenario{"FirstRead", nothing, take_read},
                                           Scenario{"FirstWrite", nothing, take_write},
                                           Scenario{"Read", warm_up, take_read}, Scenario{"Write", warm_up, take_write},
                                           Scenario{"Status", take_write, survey}),
                         name_of);

}  // namespace
}  // namespace rwlease::test
