#include "plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rwlease::selftest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report small_report() {
  Report report;
  report.settings.directory = "/it's\nhere";
  report.nodes.hosts = {"node1"};
  report.nodes.of_rank = {0, 0};
  report.timings.add(Operation::look, Load::alone, std::chrono::milliseconds(3));
  const Clock::time_point begin = Clock::now();
  report.stays.push_back({1, 1, Mode::write, begin, begin + std::chrono::milliseconds(250)});
  return report;
}

TEST(PlotScript, DrawsWhatThereIs) {
  const std::string script = plot_script(small_report(), "out.svg");
  EXPECT_THAT(script, HasSubstr("set terminal svg"));
  EXPECT_THAT(script, HasSubstr("\"look, alone\""));
  EXPECT_THAT(script, HasSubstr("\n0 1 0.25 0\n"));
  EXPECT_THAT(script, HasSubstr("plot $write using"));
  EXPECT_THAT(script, Not(HasSubstr("$read using"))) << "an empty plot is an error to gnuplot";
  EXPECT_THAT(plot_script(small_report(), "out.png"), HasSubstr("set terminal png"));
}

TEST(PlotScript, NamesCannotBecomeCommands) {
  EXPECT_THAT(plot_script(small_report(), "o'ut.svg"), HasSubstr("set output 'o''ut.svg'"));
  EXPECT_THAT(plot_script(small_report(), "o.svg"), HasSubstr("/it''s here"));
}

}  // namespace
}  // namespace rwlease::selftest
