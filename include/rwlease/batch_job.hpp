// The batch job of a holder, and what somebody may know of it.
#pragma once

#include <rwlease/export.hpp>

#include <functional>
#include <string>

namespace rwlease {

// As the holder's environment says (Slurm's variables); empty where it says nothing.
struct RWLEASE_EXPORT BatchJob {
  std::string cluster;  // SLURM_CLUSTER_NAME
  std::string id;       // SLURM_JOB_ID, which for a task of an array is a number of its own
  std::string step;     // SLURM_STEP_ID; empty in a batch script
  std::string node;     // SLURMD_NODENAME: only processes that Slurm itself started on a node have it
  int restarts = 0;     // SLURM_RESTART_COUNT: how often the job had been requeued
};

enum class JobState {
  unknown,  // say this when in doubt
  running,
  over,  // in this run of it: none of its processes can act any more
};

// Somebody who may know of a holder's job that it is over: see Options::job_oracle.
using JobOracle = std::function<JobState(const BatchJob&)>;

}  // namespace rwlease
