// Runs rwlease-selftest under mpiexec.
#pragma once

#include "support/mpiexec.hpp"
#include "support/scratch.hpp"

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace rwlease::selftest::test {

// To be tested is one directory of it; the rest lies beside it.
class Scratch : public rwlease::test::Scratch {
 public:
  Scratch() { std::filesystem::create_directory(tested()); }

  std::string tested() const { return path("tested"); }
  bool tested_is_empty() const { return std::filesystem::is_empty(tested()); }
  std::string read(const std::string& name) const;
  nlohmann::json read_json(const std::string& name) const { return nlohmann::json::parse(read(name)); }
};

struct Outcome {
  int code = 0;  // 128 plus N for signal N
  std::string out;
  std::string err;
};

using rwlease::test::Words;

// The words of a whole command line of rwlease-selftest.
Words mpiexec(int ranks, const Words& arguments);

class Job {
 public:
  // stdout and stderr go to files in `scratch`.
  Job(const Scratch& scratch, Words words);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void send(int signal) const;

  // Until a line with this text is on stderr, or the job has ended. Was it there?
  bool await_err(const std::string& text);

  Outcome finish();

 private:
  const Scratch& scratch_;
  pid_t pid_ = -1;
};

Outcome run(const Scratch& scratch, const Words& words);

}  // namespace rwlease::selftest::test
