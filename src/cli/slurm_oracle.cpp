#include "slurm_oracle.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace rwlease::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 20s;
constexpr auto between_answers = 5s;
constexpr auto after_failure = 30s;
constexpr const char* the_cluster = "";

// COMPLETING is none of them: its nodes have not yet said that all processes are gone. NODE_FAIL is: see --slurm.
constexpr std::array<std::string_view, 8> final_states{
    {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE"}};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 12 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The value of the word "KEY=value" in a line.
std::string_view value_of(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (word.size() > key.size() && word.substr(0, key.size()) == key && word[key.size()] == '=') {
      return word.substr(key.size() + 1);
    }
    line.remove_prefix(std::min(line.size(), word.size() + 1));
  }
  return {};
}

// The first line that `fits`.
template <class Predicate>
std::string_view line_in(std::string_view text, Predicate fits) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (fits(line)) return line;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

}  // namespace

JobState job_state_in(std::string_view shown, const BatchJob& job) {
  const auto line = line_in(shown, [&job](std::string_view one) { return value_of(one, "JobId") == job.id; });
  const std::string_view state = value_of(line, "JobState");
  const std::string_view restarts = value_of(line, "Restarts");
  if (state.empty() || !is_number(restarts)) return JobState::unknown;
  const long long run = std::stoll(std::string(restarts));
  if (run < job.restarts) return JobState::unknown;  // an answer from before it was requeued
  const bool was_requeued = run > job.restarts;
  const bool is_final = std::find(final_states.begin(), final_states.end(), state) != final_states.end();
  return was_requeued || is_final ? JobState::over : JobState::running;
}

std::string cluster_in(std::string_view shown) {
  constexpr std::string_view key = "ClusterName";
  const auto line = line_in(shown, [key](std::string_view one) { return one.substr(0, key.size()) == key; });
  const std::size_t begin = line.find_first_not_of(" =", std::min(key.size(), line.size()));
  if (begin == std::string_view::npos) return {};
  return std::string(line.substr(begin, line.find(' ', begin) - begin));
}

JobState SlurmOracle::state_of(const BatchJob& job) {
  if (job.cluster.empty() || job.node.empty() || !is_number(job.id)) return JobState::unknown;
  collect();
  ask(the_cluster);
  if (cluster_in(known_[the_cluster].answer) != job.cluster) return JobState::unknown;
  const JobState state = job_state_in(known_[job.id].answer, job);
  if (state != JobState::over) ask(job.id);
  return state;
}

JobState SlurmOracle::ask_and_wait(const BatchJob& job, const Cancel& end) {
  JobState state = state_of(job);
  while (inquiry_ && !end.cancelled()) {
    inquiry_->await(end.descriptor());
    state = state_of(job);
  }
  return state;
}

void SlurmOracle::collect() {
  if (!inquiry_ || !inquiry_->is_over()) return;
  Known& known = known_[asked_about_];
  known.answer = inquiry_->answer().value_or("");
  known.ask_again = Clock::now() + (inquiry_->answer() ? between_answers : after_failure);
  inquiry_.reset();
}

void SlurmOracle::ask(const std::string& about) {
  const Known& known = known_[about];
  const bool answered_for_good = about == the_cluster && !known.answer.empty();
  if (inquiry_ || answered_for_good || Clock::now() < known.ask_again) return;
  std::vector<std::string> command{"scontrol", "--oneliner", "show"};
  if (about == the_cluster) {
    command.emplace_back("config");
  } else {
    command.insert(command.end(), {"job", about});
  }
  asked_about_ = about;
  inquiry_ = std::make_unique<Inquiry>(command, patience);
}

JobOracle slurm_oracle() {
  return [oracle = std::make_shared<SlurmOracle>()](const BatchJob& job) { return oracle->state_of(job); };
}

JobOracle slurm_oracle_that_waits(const Cancel& end) {
  return
      [oracle = std::make_shared<SlurmOracle>(), &end](const BatchJob& job) { return oracle->ask_and_wait(job, end); };
}

}  // namespace rwlease::cli
