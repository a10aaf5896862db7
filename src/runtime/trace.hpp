// An event log of this process, for `rwlease trace`: who waited, claimed, held, lost, and when by this host's clock.
//
// Written where the environment variable RWLEASE_TRACE names a directory (a local one, so that a trace does not wait
// for the file system under the leases): one file for each process, HOST.PID.START.rwltrace. Its lines:
//
//   rwlease-trace/1 host=H pid=P boot=BOOT-ID real=NS mono=NS job=J
//   EVENT from=NS to=NS thread=T key=value...
//
// `from` is CLOCK_BOOTTIME before what happened, `to` after it. Values have %XX for what could end a word. Markers are
// told by a hash of their names: a trace names no token.
#pragma once

#include "fs/clock.hpp"
#include "fs/host.hpp"
#include "fs/trace_file.hpp"

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace rwlease::runtime {

class Trace {
 public:
  using Word = std::pair<const char*, std::string>;

  // This process's; null where none is wanted, which costs one read of an atomic.
  static Trace* get() noexcept;

  Trace(const std::string& directory, const fs::Host& host, const std::string& job);

  // From `from` until now. Never throws: what there is no memory for is left out.
  void event(const char* name, fs::Nanoseconds from, std::initializer_list<Word> words) noexcept;

  // A number for what belongs together: an acquire and what comes of it.
  std::uint64_t next_number() noexcept;

 private:
  fs::SystemClock clock_;
  fs::TraceFile file_;
  std::atomic<std::uint64_t> last_{0};
};

// What stands for a marker in a trace: 16 hex digits, the same wherever its name is the same.
std::string trace_id(std::string_view marker_name);

}  // namespace rwlease::runtime
