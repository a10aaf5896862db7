#include "runtime/batch_job.hpp"

#include <charconv>
#include <cstdlib>

namespace rwlease::runtime {
namespace {

std::string environment(const char* name) {
  constexpr std::size_t longest_word = 64;
  const char* value = std::getenv(name);
  return value == nullptr ? "" : std::string(value).substr(0, longest_word);
}

}  // namespace

std::string batch_job() {
  const std::string array = environment("SLURM_ARRAY_JOB_ID");
  const std::string task = environment("SLURM_ARRAY_TASK_ID");
  const std::string job = array.empty() || task.empty() ? environment("SLURM_JOB_ID") : array + "_" + task;
  constexpr std::size_t longest_job = 64;
  return job.substr(0, longest_job);
}

BatchJob batch_job_facts() {
  BatchJob job;
  job.cluster = environment("SLURM_CLUSTER_NAME");
  job.id = environment("SLURM_JOB_ID");
  job.step = environment("SLURM_STEP_ID");
  job.node = environment("SLURMD_NODENAME");
  const std::string restarts = environment("SLURM_RESTART_COUNT");
  std::from_chars(restarts.data(), restarts.data() + restarts.size(), job.restarts);
  return job;
}

}  // namespace rwlease::runtime
