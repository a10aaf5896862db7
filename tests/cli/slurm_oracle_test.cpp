// What is believed of Slurm's answers. The lab of tests/slurm asks a real one.
#include "slurm_oracle.hpp"
#include "fake_slurm.hpp"
#include "inquiry.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace rwlease::cli {
namespace {

using namespace std::chrono_literals;

const BatchJob job{"lab", "13", "0", "n1", 1};

std::string shown(const std::string& id, const std::string& state, int restarts) {
  return test::shown_job(id, state, restarts);
}

TEST(SlurmAnswerTest, AJobThatEndedIsOver) {
  for (const char* state : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED"}) {
    EXPECT_EQ(job_state_in(shown("13", state, 1), job), JobState::over) << state;
  }
}

TEST(SlurmAnswerTest, AJobThatMayHaveProcessesIsNot) {
  for (const char* state : {"RUNNING", "COMPLETING", "SUSPENDED", "PENDING", "STOPPED", "SOMETHING_NEW"}) {
    EXPECT_EQ(job_state_in(shown("13", state, 1), job), JobState::running) << state;
  }
}

TEST(SlurmAnswerTest, ARequeuedJobIsAnotherRun) {
  EXPECT_EQ(job_state_in(shown("13", "RUNNING", 2), job), JobState::over);
  EXPECT_EQ(job_state_in(shown("13", "PENDING", 2), job), JobState::over);
  EXPECT_EQ(job_state_in(shown("13", "COMPLETED", 0), job), JobState::unknown) << "an old answer";
}

TEST(SlurmAnswerTest, OtherTasksOfTheArraySayNothing) {
  const std::string both = shown("12", "COMPLETED", 1) + shown("13", "RUNNING", 1);
  EXPECT_EQ(job_state_in(both, job), JobState::running);
  EXPECT_EQ(job_state_in(shown("12", "COMPLETED", 1), job), JobState::unknown);
  EXPECT_EQ(job_state_in(shown("131", "COMPLETED", 1), job), JobState::unknown);
}

TEST(SlurmAnswerTest, WhatIsNoAnswerSaysNothing) {
  for (const char* text : {"", "slurm_load_jobs error: Invalid job id specified\n", "JobId=13 JobState=COMPLETED\n",
                           "JobId=13 JobState= Restarts=1\n"}) {
    EXPECT_EQ(job_state_in(text, job), JobState::unknown) << text;
  }
}

TEST(SlurmAnswerTest, TheClusterIsFoundInTheConfiguration) {
  EXPECT_EQ(
      cluster_in("Configuration data as of today\nCliFilterPlugins = (null)\nClusterName             = lab\nX = y\n"),
      "lab");
  EXPECT_EQ(cluster_in("nothing of the kind\n"), "");
}

const Cancel never;

class SlurmOracleTest : public ::testing::Test {
 protected:
  // As a waiter does: again and again.
  JobState ask_until_known(SlurmOracle& oracle, const BatchJob& about) {
    JobState state = JobState::unknown;
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (state == JobState::unknown && std::chrono::steady_clock::now() < end) {
      state = oracle.state_of(about);
      std::this_thread::sleep_for(1ms);
    }
    return state;
  }

  const test::FakeSlurm slurm_{"NODE_FAIL"};
};

TEST_F(SlurmOracleTest, LearnsFromScontrolAndAsksEachThingOnce) {
  SlurmOracle oracle;
  EXPECT_EQ(oracle.state_of(job), JobState::unknown) << "it does not wait for the answer";
  EXPECT_EQ(ask_until_known(oracle, job), JobState::over);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(oracle.state_of(job), JobState::over);
  EXPECT_EQ(slurm_.questions(), "--oneliner show config\n--oneliner show job 13\n");
}

TEST_F(SlurmOracleTest, WaitsForTheAnswerWhereToldTo) {
  SlurmOracle oracle;
  EXPECT_EQ(oracle.ask_and_wait(job, never), JobState::over);
  EXPECT_EQ(oracle.ask_and_wait({"lab", "14", "0", "n1", 0}, never), JobState::unknown) << "there is no such job";
  EXPECT_EQ(slurm_.questions(), "--oneliner show config\n--oneliner show job 13\n--oneliner show job 14\n");
}

TEST_F(SlurmOracleTest, JobsOfAnotherClusterAreNotAskedAbout) {
  SlurmOracle oracle;
  EXPECT_EQ(ask_until_known(oracle, job), JobState::over) << "so the cluster is known";
  for (int i = 0; i < 100; ++i) EXPECT_EQ(oracle.state_of({"elsewhere", "14", "0", "n1", 0}), JobState::unknown);
  EXPECT_EQ(slurm_.questions(), "--oneliner show config\n--oneliner show job 13\n");
}

TEST_F(SlurmOracleTest, NothingIsAskedAboutWhatSlurmDidNotStart) {
  SlurmOracle oracle;
  EXPECT_EQ(oracle.state_of({"lab", "13", "", "", 1}), JobState::unknown) << "a shell of salloc";
  EXPECT_EQ(oracle.state_of({"lab", "13; reboot", "0", "n1", 1}), JobState::unknown);
  EXPECT_EQ(oracle.state_of({"lab", "--help", "0", "n1", 1}), JobState::unknown);
  EXPECT_EQ(oracle.state_of({"", "13", "0", "n1", 1}), JobState::unknown);
  EXPECT_EQ(slurm_.questions(), "");
}

TEST(InquiryTest, AProgramThatFailsHasNoAnswer) {
  for (const char* program : {"false", "/nonexistent/program"}) {
    Inquiry inquiry({program}, 20s);
    while (!inquiry.is_over()) std::this_thread::sleep_for(1ms);
    EXPECT_FALSE(inquiry.answer()) << program;
  }
}

TEST(InquiryTest, OneThatTakesTooLongIsEnded) {
  Inquiry inquiry({"sleep", "1000"}, 50ms);
  while (!inquiry.is_over()) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(inquiry.answer());
}

}  // namespace
}  // namespace rwlease::cli
