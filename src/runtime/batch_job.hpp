// The batch job that this process is part of.
#pragma once

#include <rwlease/batch_job.hpp>

#include <string>

namespace rwlease::runtime {

// By Slurm's environment: "4711", or "4711_3" for the third task of an array; empty where there is none.
std::string batch_job();

// All that the environment says of it.
BatchJob batch_job_facts();

}  // namespace rwlease::runtime
