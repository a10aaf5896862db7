// A scontrol of our own, found by PATH: one cluster with one job.
#pragma once

#include "support/scratch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rwlease::test {

// What `scontrol --oneliner show job` prints of a job.
inline std::string shown_job(const std::string& id, const std::string& state, int restarts) {
  return "JobId=" + id + " ArrayJobId=12 JobName=x UserId=root(0) JobState=" + state +
         " Reason=None Requeue=1 Restarts=" + std::to_string(restarts) + " BatchFlag=1\n";
}

// While it exists, job 13 of the cluster "lab", requeued once, is in this state.
class FakeSlurm {
 public:
  explicit FakeSlurm(const std::string& state) {
    const std::filesystem::path program = scratch_ / "scontrol";
    std::ofstream(program) << "#!/bin/sh\necho \"$*\" >>" << asked_
                           << "\ncase $* in *config) echo 'ClusterName = lab' ;; "
                           << "*) echo '" << shown_job("13", state, 1) << "' ;; esac\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    ::setenv("PATH", (scratch_.directory().string() + ":" + before_).c_str(), 1);
  }
  ~FakeSlurm() { ::setenv("PATH", before_.c_str(), 1); }
  FakeSlurm(const FakeSlurm&) = delete;
  FakeSlurm& operator=(const FakeSlurm&) = delete;

  // All that was asked, a line for each question; empty: nothing.
  std::string questions() const {
    std::ifstream file(asked_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const Scratch scratch_;
  const std::string asked_ = (scratch_ / "asked").string();
  const std::string before_ = std::getenv("PATH");
};

// A scontrol that never answers, and ends with the object. Each call makes a file in its directory.
class SilentSlurm {
 public:
  SilentSlurm() {
    const std::filesystem::path program = scratch_ / "scontrol";
    const std::string pipe = scratch_ / "pipe";
    std::ofstream(program) << "#!/bin/sh\n: >" << (scratch_ / "asked").string() << ".$$\nexec cat " << pipe << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    if (::mkfifo(pipe.c_str(), 0600) == 0) held_open_ = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    ::setenv("PATH", (scratch_.directory().string() + ":" + before_).c_str(), 1);
  }
  ~SilentSlurm() {
    ::close(held_open_);
    ::setenv("PATH", before_.c_str(), 1);
  }
  SilentSlurm(const SilentSlurm&) = delete;
  SilentSlurm& operator=(const SilentSlurm&) = delete;

  std::filesystem::path directory() const { return scratch_.directory(); }

 private:
  const Scratch scratch_;
  const std::string before_ = std::getenv("PATH");
  int held_open_ = -1;
};

// Makes this process one that Slurm started for that job.
inline void enter_job() {
  ::setenv("SLURM_CLUSTER_NAME", "lab", 1);
  ::setenv("SLURM_JOB_ID", "13", 1);
  ::setenv("SLURM_ARRAY_JOB_ID", "12", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  ::setenv("SLURM_STEP_ID", "0", 1);
  ::setenv("SLURMD_NODENAME", "n1", 1);
  ::setenv("SLURM_RESTART_COUNT", "1", 1);
}

}  // namespace rwlease::test
