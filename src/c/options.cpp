#include <rwlease/error.hpp>
#include <rwlease/wrapping.hpp>

#include <cmath>
#include <limits>

using namespace rwlease;
using wrapping::guarded;

struct rwl_options {
  Options options;
};

struct rwl_cancel {
  Cancel cancel;
};

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr const char* setting = "setting an option";

[[noreturn]] void refuse(const std::string& why) { throw InvalidOptions(setting, "", why); }

template <class Number>
Number whole(double value) {
  const bool fits = value >= static_cast<double>(std::numeric_limits<Number>::min()) &&
                    value < static_cast<double>(std::numeric_limits<Number>::max());
  if (!fits || value != std::floor(value)) refuse(std::to_string(value) + " is no whole number that can be");
  return static_cast<Number>(value);
}

bool truth(double value) { return whole<int>(value) != 0; }

// What is shorter than a millisecond is none.
Milliseconds milliseconds(double seconds) {
  constexpr double most = 1e9;
  if (!(std::fabs(seconds) < most)) refuse(std::to_string(seconds) + " s is no duration that can be");
  return Milliseconds(std::llround(seconds * 1000));
}

void share_with(Options& options, double group) {
  options.sharing = Sharing::group;
  options.group.reset();
  if (group != -1) options.group = whole<gid_t>(group);
}

void set(Options& options, int option, double value) {
  switch (option) {
    case RWL_INTERVAL:
      options.interval = milliseconds(value);
      return;
    case RWL_LEASE:
      options.lease = milliseconds(value);
      return;
    case RWL_MARGIN:
      options.margin = milliseconds(value);
      return;
    case RWL_POLL_MIN:
      options.poll_min = milliseconds(value);
      return;
    case RWL_POLL_MAX:
      options.poll_max = milliseconds(value);
      return;
    case RWL_STAND_BACK:
      options.stand_back = milliseconds(value);
      return;
    case RWL_GROUP:
      return share_with(options, value);
    case RWL_SOLE:
      options.sole = truth(value);
      return;
    case RWL_PROCESS_GROUP:
      options.process_group = whole<pid_t>(value);
      return;
    case RWL_RENEW:
      options.renew = truth(value);
      return;
    case RWL_TRUST_PROOF_OF_DEATH:
      options.trust_proof_of_death = truth(value);
      return;
    case RWL_RANKS:
      options.ranks = whole<int>(value);
      return;
    default:
      refuse("there is no option number " + std::to_string(option) + " with a number for a value");
  }
}

void set_text(Options& options, int option, const char* text) {
  if (text == nullptr) refuse("the text is NULL");
  switch (option) {
    case RWL_LABEL:
      options.label = text;
      return;
    case RWL_JOB:
      options.job = text;
      return;
    default:
      refuse("there is no option number " + std::to_string(option) + " with a text for a value");
  }
}

JobState job_state_of(int answer) noexcept {
  switch (answer) {
    case RWL_JOB_RUNNING:
      return JobState::running;
    case RWL_JOB_OVER:
      return JobState::over;
    default:
      return JobState::unknown;
  }
}

JobOracle oracle_of(int (*oracle)(const rwl_batch_job*, void*), void* context) {
  if (oracle == nullptr) return {};
  return [oracle, context](const BatchJob& job) {
    const rwl_batch_job shown{job.cluster.c_str(), job.id.c_str(), job.step.c_str(), job.node.c_str(), job.restarts};
    return job_state_of(oracle(&shown, context));
  };
}

}  // namespace

namespace rwlease::wrapping {

const Options& options_of(const rwl_options* options) noexcept {
  static const Options defaults;
  return options == nullptr ? defaults : options->options;
}

const Cancel* cancel_of(const rwl_cancel* cancel) noexcept { return cancel == nullptr ? nullptr : &cancel->cancel; }

std::chrono::nanoseconds timeout_of(double seconds) noexcept {
  constexpr double most = 9e9;  // 285 years
  if (!(seconds >= 0) || seconds > most) return std::chrono::nanoseconds::max();
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace rwlease::wrapping

extern "C" {

int rwl_options_create(rwl_options** options) {
  if (options == nullptr) return wrapping::fail(RWL_USAGE, "making options: there is no place for the handle");
  *options = nullptr;
  return guarded([&] { *options = new rwl_options; });
}

void rwl_options_free(rwl_options** options) {
  if (options == nullptr) return;
  delete *options;
  *options = nullptr;
}

int rwl_options_set(rwl_options* options, int option, double value) {
  if (options == nullptr) return wrapping::fail(RWL_USAGE, "setting an option: the handle is NULL");
  return guarded([&] { set(options->options, option, value); });
}

int rwl_options_set_text(rwl_options* options, int option, const char* text) {
  if (options == nullptr) return wrapping::fail(RWL_USAGE, "setting an option: the handle is NULL");
  return guarded([&] { set_text(options->options, option, text); });
}

int rwl_options_set_job_oracle(rwl_options* options, int (*oracle)(const rwl_batch_job*, void*), void* context) {
  if (options == nullptr) return wrapping::fail(RWL_USAGE, "setting the job oracle: the handle is NULL");
  return guarded([&] { options->options.job_oracle = oracle_of(oracle, context); });
}

int rwl_cancel_create(rwl_cancel** cancel) {
  if (cancel == nullptr) return wrapping::fail(RWL_USAGE, "making a cancel: there is no place for the handle");
  *cancel = nullptr;
  return guarded([&] { *cancel = new rwl_cancel; });
}

void rwl_cancel_free(rwl_cancel** cancel) {
  if (cancel == nullptr) return;
  delete *cancel;
  *cancel = nullptr;
}

void rwl_cancel_now(rwl_cancel* cancel) {
  if (cancel != nullptr) cancel->cancel.cancel();
}

void rwl_cancel_reset(rwl_cancel* cancel) {
  if (cancel != nullptr) cancel->cancel.reset();
}

}  // extern "C"
