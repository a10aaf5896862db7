// The commands that a participant understands.
#pragma once

#include "process/participant/setup.hpp"

#include <rwlease/lock.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rwlease::test {

using Words = std::vector<std::string>;

// One lock and the leases taken on it, newest last; commands are about the newest. Main thread only.
class Session {
 public:
  explicit Session(const Setup& setup);

  // Carries it out and reports "done TEXT", or "failed TYPE|errno|message".
  void obey(const std::string& line);

  // The session takes its leases to the grave: main() returns without giving them back itself.
  bool leaks() const noexcept { return leaks_; }

 private:
  using Command = std::string (Session::*)(const Words&);
  static const std::map<std::string, Command>& commands();

  std::string acquire(const Words& words);
  std::string try_once(const Words& words);
  std::string valid(const Words& words);
  std::string verify(const Words& words);
  std::string state(const Words& words);
  std::string fence(const Words& words);
  std::string publish(const Words& words);
  std::string downgrade(const Words& words);
  std::string release(const Words& words);
  std::string watch(const Words& words);
  std::string throw_when_lost(const Words& words);
  std::string tell_when_waiting(const Words& words);
  std::string throw_when_waiting(const Words& words);
  std::string status(const Words& words);
  std::string attempts(const Words& words);
  std::string contend(const Words& words);
  std::string rounds(const Words& words);
  std::string handle(const Words& words);
  std::string release_on(const Words& words);
  std::string fork_child(const Words& words);
  std::string reap(const Words& words);
  std::string end(const Words& words);

  Lease& newest();

  Lock lock_;
  std::vector<Lease> leases_;
  const std::chrono::milliseconds longest_wait_;  // of the commands that take the lock many times
  bool leaks_ = false;
};

}  // namespace rwlease::test
