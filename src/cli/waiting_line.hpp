// What people read while `rwlease run` waits.
#pragma once

#include <rwlease/lock.hpp>
#include <rwlease/status.hpp>

#include <chrono>
#include <string>

namespace rwlease::cli {

// When to say it: after a second, then each time twice as much has passed, at least every five minutes.
class WaitingSchedule {
 public:
  // Is a line due, `waited` after the beginning? If so, the next one is planned.
  bool is_due(std::chrono::milliseconds waited) noexcept;

 private:
  std::chrono::milliseconds next_{1'000};
};

// "reader node07 pid 4711 job 123 (nightly build), heartbeat 12 s ago": who it is, as far as the record says.
std::string describe(const Participant& participant, std::chrono::system_clock::time_point now);

// How long the one in the way has shown no life, by this host's clock: what it was seen to show stays the same. One
// wait.
class Silence {
 public:
  // Since when, at the latest, as of this look.
  std::chrono::milliseconds of(const Obstacle& obstacle);

 private:
  std::string id_;
  std::chrono::system_clock::time_point heartbeat_;
  std::chrono::milliseconds first_seen_{0};  // in terms of Obstacle::waited
};

// "; unless it shows life, it is taken for dead in about 31 s", where it has been silent for so long that this is to be
// expected: for half of the longer of both leases. Else nothing.
std::string patience_text(const Obstacle& obstacle, std::chrono::milliseconds silent,
                          std::chrono::milliseconds own_lease);

// "waiting 12 s to write /scratch/x: held by reader node07 pid 4711, heartbeat 12 s ago, and 3 others". The text is not
// yet made printable.
std::string waiting_line(const Obstacle& obstacle, const std::string& path, std::chrono::system_clock::time_point now);

}  // namespace rwlease::cli
