// A process's one state for a lock directory, however many objects name it.
#pragma once

#include "fs/directory.hpp"
#include "protocol/ledger.hpp"
#include "protocol/lock_directory.hpp"
#include "protocol/site.hpp"

#include <rwlease/options.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace rwlease::runtime {

using fs::Nanoseconds;

class Hold;
class Runtime;
class Ticker;

class Instance {
 public:
  Instance(Runtime& runtime, std::unique_ptr<fs::Directory> directory, protocol::MarkerKind kind, std::uint64_t device);

  // What a participant with these options needs to act here.
  protocol::Site site(const Options& options);

  fs::Directory& directory() noexcept { return *directory_; }
  Runtime& runtime() noexcept { return runtime_; }
  Ticker& refresher() noexcept { return refresher_; }

  // Holds that were granted and not released.
  void enlist(const std::shared_ptr<Hold>& hold);
  void strike(const Hold* hold) noexcept;
  std::shared_ptr<Hold> find_by_thread(std::uint64_t thread) const;
  std::vector<std::shared_ptr<Hold>> holds() const;

  // Between threads the lock is handed over through the file system, which the language knows nothing of: what was done
  // before the one's hand_over() happens before what is done after the other's take_over().
  void hand_over() noexcept { handed_over_.fetch_add(1, std::memory_order_acq_rel); }
  void take_over() noexcept { hand_over(); }

  // After an own write lease others get their turn first.
  void stand_back_until(Nanoseconds when) noexcept;
  Nanoseconds stand_back() const noexcept;

 private:
  Runtime& runtime_;
  const std::unique_ptr<fs::Directory> directory_;
  const protocol::MarkerKind kind_;
  Ticker& refresher_;
  protocol::Ledger ledger_;
  std::atomic<unsigned> handed_over_{0};

  mutable std::mutex mutex_;  // guards all below; never held during I/O
  std::vector<std::shared_ptr<Hold>> holds_;
  Nanoseconds stand_back_until_{0};
};

}  // namespace rwlease::runtime
