// The subcommands. Each takes the words after its name and gives the exit code.
//
// They throw BadUsage for a call that makes no sense, rwlease::Error and std::exception for what fails; main() turns
// these into one line on stderr and exit code 125.
#pragma once

#include <string>
#include <vector>

namespace rwlease::cli {

int break_command(const std::vector<std::string>& arguments);
int fence_command(const std::vector<std::string>& arguments);
int lockfile_command(const std::vector<std::string>& arguments);
int probe_command(const std::vector<std::string>& arguments);
int run_command(const std::vector<std::string>& arguments);
int status_command(const std::vector<std::string>& arguments);
int trace_command(const std::vector<std::string>& arguments);
int wait_command(const std::vector<std::string>& arguments);

}  // namespace rwlease::cli
