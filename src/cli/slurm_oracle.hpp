// What Slurm knows of the jobs of holders.
#pragma once

#include "inquiry.hpp"

#include <rwlease/batch_job.hpp>
#include <rwlease/cancel.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace rwlease::cli {

// Asks `scontrol`, one question at a time, and each about one job at most every few seconds; meanwhile it says
// `unknown`, so nobody waits for Slurm. Only jobs of the cluster that answers here count, and only holders that Slurm
// started on a node: the shell of an `salloc` outlives its job. One thread.
class SlurmOracle {
 public:
  JobState state_of(const BatchJob& job);

  // The same for one who looks only once: waits until Slurm has answered, its time for that is over, or `end` is
  // cancelled.
  JobState ask_and_wait(const BatchJob& job, const Cancel& end);

 private:
  using Clock = Inquiry::Clock;
  struct Known {
    std::string answer;  // scontrol's, empty: none
    Clock::time_point ask_again;
  };

  void collect();
  void ask(const std::string& about);

  std::unique_ptr<Inquiry> inquiry_;
  std::string asked_about_;
  std::map<std::string, Known> known_;  // by job id, and "" for the cluster
};

// What `scontrol --oneliner show job ID` says of the run of the job that had been requeued so many times. Jobs that
// Slurm does not know any more are unknown: it also hides those that one may not see.
JobState job_state_in(std::string_view shown, const BatchJob& job);

// The name in `scontrol show config`; empty: not found.
std::string cluster_in(std::string_view shown);

// One that can be handed to Options: for waiters, who ask again and again; for those who look once.
JobOracle slurm_oracle();
JobOracle slurm_oracle_that_waits(const Cancel& end);

}  // namespace rwlease::cli
