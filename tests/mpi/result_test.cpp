// Whatever the root throws is thrown on every rank, with the same type and content.
#include "communicator.hpp"
#include "result_record.hpp"
#include "world.hpp"

#include <rwlease/mpi.hpp>

#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>

namespace rwlease::mpi::test {
namespace {

using detail::Communicator;
using detail::Result;
using detail::Telling;

class ResultRecordTest : public ::testing::Test {
 protected:
  ResultRecordTest() : root_(world_size() - 1) { communicator_.duplicate(MPI_COMM_WORLD, "the/lock", forever); }
  ~ResultRecordTest() override { communicator_.free(); }

  // What all ranks get when the root's step does this.
  std::string outcome(const std::function<void()>& step) {
    Result result;
    if (world_rank() == root_) result.run("stepping on", "the/lock", step);
    Telling telling(communicator_, root_, result);
    while (!telling.complete()) {
    }
    std::string text = outcome_of([&] { result.throw_if_error(); });
    EXPECT_TRUE(same_everywhere(text));
    return text;
  }

  template <class Type>
  std::string outcome_of_throwing() {
    return outcome([] { throw Type("doing", "a/path", "why", {EDQUOT, std::generic_category()}); });
  }

  Communicator communicator_;
  int root_;
};

TEST_F(ResultRecordTest, EveryClassOfTheCore) {
  const std::string content = " | doing | a/path | why | generic:" + std::to_string(EDQUOT);
  EXPECT_EQ(outcome_of_throwing<Error>(), "Error" + content);
  EXPECT_EQ(outcome_of_throwing<InvalidOptions>(), "InvalidOptions" + content);
  EXPECT_EQ(outcome_of_throwing<UsageError>(), "UsageError" + content);
  EXPECT_EQ(outcome_of_throwing<Timeout>(), "Timeout" + content);
  EXPECT_EQ(outcome_of_throwing<Cancelled>(), "Cancelled" + content);
  EXPECT_EQ(outcome_of_throwing<LeaseLost>(), "LeaseLost" + content);
  EXPECT_EQ(outcome_of_throwing<UnsafeDirectory>(), "UnsafeDirectory" + content);
}

TEST_F(ResultRecordTest, NoErrorWithoutCode) {
  EXPECT_EQ(outcome([] {}), "done");
  EXPECT_EQ(outcome([] { throw Timeout("doing", "", "why"); }), "Timeout | doing |  | why | system:0");
}

TEST_F(ResultRecordTest, WhatIsNotOfTheCore) {
  EXPECT_EQ(outcome([] { throw std::bad_alloc(); }), "bad_alloc");
  EXPECT_EQ(outcome([] { throw std::runtime_error("odd"); }), "Error | stepping on | the/lock | odd | system:0");
  EXPECT_EQ(outcome([] { throw 7; }).substr(0, 30), "Error | stepping on | the/lock");
  const std::string text = outcome([] { throw std::system_error(EIO, std::system_category(), "odd"); });
  EXPECT_NE(text.find("system:" + std::to_string(EIO)), std::string::npos) << text;
}

TEST_F(ResultRecordTest, ATextThatGoesWithSuccess) {
  Result result;
  if (world_rank() == root_) result.run("stepping on", "the/lock", [&] { result.add_text("well done"); });
  Telling telling(communicator_, root_, result);
  while (!telling.complete()) {
  }
  EXPECT_NO_THROW(result.throw_if_error());
  EXPECT_EQ(result.text(), "well done");
}

TEST_F(ResultRecordTest, OverlongTextsAreCut) {
  const std::string text = outcome([] {
    throw Error(std::string(2000, 'o'), std::string(900, 'p'), std::string(20000, 'c'), {EIO, std::generic_category()});
  });
  EXPECT_EQ(text.substr(0, 8 + 512 + 3), "Error | " + std::string(512, 'o') + " | ");
  EXPECT_NE(text.find(std::string(900, 'p') + " | c"), std::string::npos);
}

}  // namespace
}  // namespace rwlease::mpi::test
