// What a command runs under: leases, or a soft lock.
#pragma once

#include <rwlease/cancel.hpp>
#include <rwlease/deadline.hpp>
#include <rwlease/lock.hpp>
#include <rwlease/softlock.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rwlease::cli {

// Taken and given back once, on one thread; in between the const functions may be called from any. These read clocks
// only.
class Holding {
 public:
  using LostCallback = std::function<void(LossReason)>;

  Holding() = default;
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  virtual ~Holding() = default;

  // Blocks until all of it is granted; holds nothing when it throws Timeout, Cancelled, Error. `on_lost` is called on
  // any thread, also while this still waits for the rest, and is short.
  virtual void acquire(Deadline deadline, const Cancel& cancel, LostCallback on_lost) = 0;
  virtual ReleaseResult give_back() = 0;

  virtual bool is_valid() const noexcept = 0;
  virtual std::chrono::nanoseconds remaining() const noexcept = 0;

  // A line for each lock: its fencing number, 0 for none.
  virtual std::string fences() const = 0;

  // The subcommand that takes it, for advice.
  virtual const char* command() const noexcept = 0;

  // What was lost, for messages: "the lease to write /scratch/x". The first where nothing was.
  virtual std::string lost_part() const = 0;
};

// Leases on one or several locks, all or none.
class LeaseHolding final : public Holding {
 public:
  // Does no I/O. The order is the one in which fences() tells them.
  void add(std::unique_ptr<Lock> lock, Mode mode);

  // After the grant the numbers are written into this file, before anybody is told; see write_fence_file.
  void write_fences_to(std::string file) { fence_file_ = std::move(file); }

  // In an order that all processes agree on, however they name the locks, so that none waits for another in a circle.
  void acquire(Deadline deadline, const Cancel& cancel, LostCallback on_lost) override;
  ReleaseResult give_back() override;
  bool is_valid() const noexcept override;
  std::chrono::nanoseconds remaining() const noexcept override;
  std::string fences() const override;
  const char* command() const noexcept override { return "run"; }
  std::string lost_part() const override;

 private:
  struct Part {
    std::unique_ptr<Lock> lock;
    Mode mode;
    Lease lease;
  };

  std::vector<Part*> in_fixed_order();

  std::vector<Part> parts_;
  std::vector<Part*> taken_;  // in this order
  std::optional<std::string> fence_file_;
};

class SoftHolding final : public Holding {
 public:
  SoftHolding(std::string path, SoftLockOptions options) : path_(std::move(path)), options_(std::move(options)) {}

  // By the options' tries where there are some, else by the deadline.
  void acquire(Deadline deadline, const Cancel& cancel, LostCallback on_lost) override;
  ReleaseResult give_back() override;
  bool is_valid() const noexcept override { return lock_->valid(); }
  std::chrono::nanoseconds remaining() const noexcept override { return {}; }
  std::string fences() const override { return "0"; }
  const char* command() const noexcept override { return "lockfile"; }
  std::string lost_part() const override { return "the lock file " + path_; }

 private:
  const std::string path_;
  SoftLockOptions options_;
  std::optional<SoftLock> lock_;
};

}  // namespace rwlease::cli
