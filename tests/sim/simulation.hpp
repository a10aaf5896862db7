// Runs schedules, one seed each.
#pragma once

#include "sim/world.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace rwlease::sim {

struct Outcome {
  Violation violation = Violation::none;
  std::string description;
  std::uint64_t digest = 0;  // of all that happened: the same seed gives the same one

  bool good() const { return violation == Violation::none; }
};

// Keeps its memory from one schedule to the next. One at a time in a process: the library's runtime is made to be the
// simulated process's whenever that goes on.
class Simulation {
 public:
  explicit Simulation(Statistics& statistics) : world_(statistics) {}

  void trace_to(std::FILE* file) { world_.trace.write_to(file); }

  // `adjust` may change what the seed has drawn.
  using Adjust = std::function<void(Plan&)>;
  Outcome run(std::uint64_t seed, Variant variant = Variant::none, const Adjust& adjust = nullptr);

 private:
  void set_up(std::uint64_t seed, Variant variant, const Adjust& adjust);
  Machine& add_machine();
  void start_all();
  void run_to_the_end();
  void end_those_that_are_over();
  void check_what_is_left();
  std::string leftovers() const;
  void clear_away();
  bool users_left() const;

  World world_;
  std::size_t used_machines_ = 0;
};

}  // namespace rwlease::sim
