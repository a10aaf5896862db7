// The kernel's word for a directory that is gone, ESTALE, comes to a handle although the name may mean another one by
// now.
#include "faults/injector.hpp"
#include "fs/posix.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace rwlease::test {
namespace {

class StaleHandleTest : public ::testing::Test {
 protected:
  using List = fs::Result (fs::PosixDirectory::*)(const std::string&, std::vector<fs::Entry>&);

  void SetUp() override { ASSERT_TRUE(directory_.make_directory("below", 0700).ok()); }

  // Once that each reading of a listing fails.
  void expect_that_it_looks_again(List list) {
    int hits = 0;
    Injected injected;
    for (int nth = 1; nth == 1 || injected.hit(); ++nth) {
      std::vector<fs::Entry> entries;
      Injector injector(Counted::this_thread, {nth, ESTALE, false});
      const fs::Result result = (directory_.*list)("below", entries);
      injected = injector.stop();
      if (injected.call.compare(0, 8, "getdents") != 0) continue;
      ++hits;
      EXPECT_TRUE(result.ok()) << result.error();
    }
    EXPECT_GE(hits, 1);
  }

  Scratch scratch_;
  fs::PosixDirectory directory_{::open(scratch_.directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), "scratch"};
};

TEST_F(StaleHandleTest, AListingLooksWhatTheNameMeansByNow) { expect_that_it_looks_again(&fs::PosixDirectory::list); }

TEST_F(StaleHandleTest, ALastingListingDoesToo) { expect_that_it_looks_again(&fs::PosixDirectory::list_lasting); }

TEST_F(StaleHandleTest, WhatIsGoneIsAbsent) {
  ASSERT_TRUE(directory_.remove_directory("below").ok());
  std::vector<fs::Entry> entries;
  EXPECT_TRUE(directory_.list("below", entries).absent());
  EXPECT_TRUE(directory_.list_lasting("below", entries).absent());
}

}  // namespace
}  // namespace rwlease::test
