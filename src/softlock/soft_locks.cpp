#include <rwlease/softlock.hpp>

#include <utility>

namespace rwlease {
namespace {

std::string message_path(const std::filesystem::path& directory, const std::string& name) {
  return (directory / name).string();
}

}  // namespace

SoftLocks::SoftLocks(std::filesystem::path directory, SoftLockOptions options)
    : directory_(std::move(directory)), options_(std::move(options)) {
  options_.validate();
}

void SoftLocks::lock(const std::string& name) {
  auto lock = make(name);
  lock->lock();
  keep(name, std::move(lock));
}

LockResult SoftLocks::acquire(const std::string& name) {
  auto lock = make(name);
  LockResult result = lock->acquire();
  if (result) keep(name, std::move(lock));
  return result;
}

// The name is free to be locked by this object.
std::unique_ptr<SoftLock> SoftLocks::make(const std::string& name) const {
  if (name.find('/') != std::string::npos) {
    throw InvalidOptions("checking lock name", message_path(directory_, name), "it must be a file name, not a path");
  }
  if (held_.count(name) != 0) {
    throw UsageError("taking lock", message_path(directory_, name), "this object holds it already");
  }
  return std::make_unique<SoftLock>(directory_ / name, options_);
}

void SoftLocks::keep(const std::string& name, std::unique_ptr<SoftLock> lock) {
  held_.emplace(name, Entry{std::move(lock), std::chrono::system_clock::now()});
}

void SoftLocks::unlock(const std::string& name) {
  const auto held = held_.find(name);
  if (held == held_.end()) {
    throw UsageError("unlocking", message_path(directory_, name), "this object does not hold it");
  }
  const auto node = held_.extract(held);
  node.mapped().lock->unlock();
}

std::vector<SoftLocks::Held> SoftLocks::held() const {
  std::vector<Held> all;
  for (const auto& [name, entry] : held_) all.push_back({name, entry.since, entry.lock->locked()});
  return all;
}

}  // namespace rwlease
