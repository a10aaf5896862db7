#include "runtime/instance.hpp"

#include "log.hpp"
#include "runtime/batch_job.hpp"
#include "runtime/hold.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>

namespace rwlease::runtime {
namespace {

protocol::Record record_of(const Options& options, const fs::Host& host) {
  protocol::Record record;
  record.host = host.name();
  record.lease = options.effective_lease();
  record.process = host.self();
  record.uid = host.user();
  record.sole = options.sole;
  record.process_group = options.process_group;
  record.ranks = options.ranks;
  record.job = options.job.empty() ? batch_job() : options.job;
  record.batch = batch_job_facts();
  record.label = options.label;
  return record;
}

void tell_log(protocol::Severity severity, const std::string& line) {
  switch (severity) {
    case protocol::Severity::debug:
      return log_line(LogLevel::debug, line);
    case protocol::Severity::info:
      return log_line(LogLevel::info, line);
    case protocol::Severity::warning:
      return log_line(LogLevel::warning, line);
  }
}

}  // namespace

Instance::Instance(Runtime& runtime, std::unique_ptr<fs::Directory> directory, protocol::MarkerKind kind,
                   std::uint64_t device)
    : runtime_(runtime), directory_(std::move(directory)), kind_(kind), refresher_(runtime.refresher_of(device)) {}

protocol::Site Instance::site(const Options& options) {
  protocol::Site site;
  site.directory = directory_.get();
  site.clock = &runtime_.clock();
  site.host = &runtime_.host();
  site.ledger = &ledger_;
  site.marker_kind = kind_;
  site.group_shared = options.sharing == Sharing::group;
  site.trust_proof_of_death = options.trust_proof_of_death;
  site.job_oracle = options.job_oracle;
  site.terms = {options.interval, options.effective_lease(), options.effective_margin()};
  site.self = std::make_shared<const protocol::Record>(record_of(options, runtime_.host()));
  site.log = tell_log;
  return site;
}

void Instance::enlist(const std::shared_ptr<Hold>& hold) {
  const std::lock_guard<std::mutex> guard(mutex_);
  holds_.push_back(hold);
}

void Instance::strike(const Hold* hold) noexcept {
  std::shared_ptr<Hold> last;  // destroyed outside the lock
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto it = std::find_if(holds_.begin(), holds_.end(), [hold](const auto& held) { return held.get() == hold; });
  if (it == holds_.end()) return;
  last = std::move(*it);
  holds_.erase(it);
}

std::shared_ptr<Hold> Instance::find_by_thread(std::uint64_t thread) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto it = std::find_if(holds_.begin(), holds_.end(),
                               [thread](const auto& held) { return held->thread() == thread && !held->released(); });
  return it == holds_.end() ? nullptr : *it;
}

std::vector<std::shared_ptr<Hold>> Instance::holds() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return holds_;
}

void Instance::stand_back_until(Nanoseconds when) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  stand_back_until_ = when;
}

Nanoseconds Instance::stand_back() const noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stand_back_until_;
}

}  // namespace rwlease::runtime
