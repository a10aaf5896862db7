#include "support/mpiexec.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace rwlease::test {

// RWLEASE_MPIEXEC: the start of the command line, words separated by spaces, with a place for the number of ranks.
Words mpiexec(int ranks, const Words& program_and_arguments) {
  Words words;
  std::istringstream before(RWLEASE_MPIEXEC);
  for (std::string word; before >> word;) words.push_back(word == "RANKS" ? std::to_string(ranks) : word);
  words.insert(words.end(), program_and_arguments.begin(), program_and_arguments.end());
  return words;
}

pid_t start_job(Words words, const posix_spawn_file_actions_t* actions) {
  // Open MPI's mpiexec refuses the superuser, as whom containers run tests, unless told so.
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t job = -1;
  if (posix_spawnp(&job, arguments[0], actions, nullptr, arguments.data(), environ) != 0) {
    throw std::runtime_error("starting " + words[0] + " failed");
  }
  return job;
}

}  // namespace rwlease::test
