// What is known of this host and its processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rwlease::fs {

// Who a process is, such that no later process can be mistaken for it on the same boot of the same host.
struct ProcessIdentity {
  std::string boot_id;      // of the kernel; empty: unknown
  std::uint64_t pidns = 0;  // inode of the pid namespace; 0: unknown
  pid_t pid = 0;
  std::uint64_t start = 0;   // clock ticks since boot; 0: unknown
  std::uint64_t timens = 0;  // of the time namespace, by which start times are shifted; 0: the kernel has none
};

enum class ProcessState { running, gone, unknown };

class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  virtual std::string name() const = 0;
  virtual std::string boot_id() const = 0;
  virtual ProcessIdentity self() const = 0;
  virtual uid_t user() const = 0;

  // 32 lower-case hex digits from the kernel's random source. Throws Error when there is none.
  virtual std::string random_token() const = 0;

  // Gone only on proof: same boot, same pid namespace, and no such process with that start time. A zombie is gone.
  virtual ProcessState state_of(const ProcessIdentity& process) const = 0;

  // Gone only when no process of this pid namespace is in the group.
  virtual ProcessState state_of_group(pid_t group) const = 0;

  // Another process of this host, as it would say who it is; nothing when there is none with that number. One that
  // stands in for a host of leases may leave it out.
  virtual std::optional<ProcessIdentity> identify(pid_t /*pid*/) const { return self(); }
};

class SystemHost final : public Host {
 public:
  SystemHost();

  std::string name() const override { return name_; }
  std::string boot_id() const override;
  ProcessIdentity self() const override { return self_; }
  uid_t user() const override;
  std::string random_token() const override;
  ProcessState state_of(const ProcessIdentity& process) const override;
  ProcessState state_of_group(pid_t group) const override;
  std::optional<ProcessIdentity> identify(pid_t pid) const override;

 private:
  std::string name_;
  ProcessIdentity self_;
};

}  // namespace rwlease::fs
