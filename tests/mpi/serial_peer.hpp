// A serial process beside the communicator: it takes a lease, reports, and gives it back when told.
#pragma once

#include <sys/types.h>
#include <rwlease/lease.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace rwlease::mpi::test {

// Started by one rank. Waiting for it is bounded; what goes wrong is a std::runtime_error.
class SerialPeer {
 public:
  SerialPeer(const std::filesystem::path& name, Mode mode, const std::string& durations);
  ~SerialPeer();  // ends it, whatever it is doing
  SerialPeer(const SerialPeer&) = delete;
  SerialPeer& operator=(const SerialPeer&) = delete;

  void await_waiting();       // it stands in the way of others, or waits behind them
  std::int64_t await_held();  // when it got the lease, by boot_now()
  std::string finish();       // tells it to give back; "released while valid" when nobody disturbed it
  pid_t process() const noexcept { return process_; }

 private:
  std::string await(const std::string& word);
  std::string read_line();
  void reap() noexcept;

  pid_t process_ = -1;
  int to_peer_ = -1;
  int from_peer_ = -1;
  std::string unread_;
};

// Collective: rank 0 starts one, which holds before any rank goes on. None on the others.
std::unique_ptr<SerialPeer> held_by_a_peer(const std::filesystem::path& name, Mode mode);

}  // namespace rwlease::mpi::test
