#include "options.hpp"

#include "arguments.hpp"

#include <gtest/gtest.h>

namespace rwlease::selftest {
namespace {

using namespace std::chrono_literals;

TEST(SelftestOptions, HaveDefaults) {
  const Settings settings = parse_settings({"/scratch"});
  EXPECT_EQ(settings.directory, "/scratch");
  EXPECT_EQ(settings.duration, 2min);
  EXPECT_EQ(settings.breakage, Breakage::none);
}

TEST(SelftestOptions, AreTaken) {
  const Settings settings =
      parse_settings({"--minutes", "0.5", "--lease=1.5", "/s", "--json", "a", "--plot", "b.svg", "--break", "stale"});
  EXPECT_EQ(settings.duration, 30s);
  EXPECT_EQ(settings.lease, 1500ms);
  EXPECT_EQ(settings.json, "a");
  EXPECT_EQ(settings.plot, "b.svg");
  EXPECT_EQ(settings.breakage, Breakage::stale);
}

TEST(SelftestOptions, AreRefusedWhenTheyMakeNoSense) {
  const std::vector<std::vector<std::string>> refused{
      {},
      {""},
      {"/a", "/b"},
      {"/a", "--minutes", "0"},
      {"/a", "--minutes", "-1"},
      {"/a", "--minutes", "nan"},
      {"/a", "--minutes", "inf"},
      {"/a", "--minutes", "1x"},
      {"/a", "--minutes", "1e9"},
      {"/a", "--lease", "0.1"},
      {"/a", "--lease", "4000"},
      {"/a", "--lease", "x"},
      {"/a", "--plot", "b.pdf"},
      {"/a", "--plot", ".svg"},
      {"/a", "--break", "everything"},
      {"/a", "--unknown"},
  };
  for (const auto& words : refused) {
    EXPECT_THROW(parse_settings(words), cli::BadUsage) << ::testing::PrintToString(words);
  }
}

TEST(SelftestOptions, HelpDoesNotShowWhatIsForTests) {
  EXPECT_NE(help_text().find("--minutes"), std::string::npos);
  EXPECT_EQ(help_text().find("--break"), std::string::npos);
  EXPECT_EQ(help_text().find("--pretend"), std::string::npos);
}

}  // namespace
}  // namespace rwlease::selftest
