// Starts MPI jobs.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace rwlease::test {

using Words = std::vector<std::string>;

// The words of a whole command line.
Words mpiexec(int ranks, const Words& program_and_arguments);

// Throws std::runtime_error when it cannot be started.
pid_t start_job(Words words, const posix_spawn_file_actions_t* actions = nullptr);

}  // namespace rwlease::test
