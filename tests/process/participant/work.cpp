// Commands that take the lock many times, and report each hold.
#include "process/participant/cancel.hpp"
#include "process/participant/order.hpp"
#include "process/participant/report.hpp"
#include "process/participant/session.hpp"
#include "process/support/clock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>

namespace rwlease::test {
namespace {

constexpr std::chrono::milliseconds between_stamps{50};
constexpr int files = 3;
constexpr std::size_t words_in_a_file = 2048;
using Block = std::array<std::uint64_t, words_in_a_file>;

void report_hold(Mode mode, std::chrono::nanoseconds asked, std::chrono::nanoseconds entered,
                 std::chrono::nanoseconds left) {
  report("hold", std::string(to_string(mode)) + " " + std::to_string(asked.count()) + " " +
                     std::to_string(entered.count()) + " " + std::to_string(left.count()));
}

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xff51afd7ed558ccdU;
  return value ^ (value >> 29U);
}

std::string file_name(const std::string& data, int number) { return data + "." + std::to_string(number); }

// All files carry one version, each word of them mixed from version, file and place.
void write_version(const std::string& data, std::uint64_t version) {
  for (int number = 0; number < files; ++number) {
    Block block;
    block[0] = version;
    for (std::size_t i = 1; i < block.size(); ++i)
      block[i] = mixed(version + i * files + static_cast<unsigned>(number));
    std::ofstream file(file_name(data, number), std::ios::binary | std::ios::in | std::ios::out);
    // In two halves, so that one who looks in between sees it.
    constexpr std::size_t half = sizeof(Block) / 2;
    file.write(reinterpret_cast<const char*>(block.data()), half).flush();
    std::this_thread::yield();
    file.write(reinterpret_cast<const char*>(block.data()) + half, half).flush();
    if (!file) throw std::runtime_error("writing " + file_name(data, number));
  }
}

// On mounts that never ask by themselves (nocto) an open file may be an old one.
void ask_the_server(const std::string& file) {
  struct statx ignored = {};
  ::statx(AT_FDCWD, file.c_str(), AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &ignored);
}

// What does not fit together.
class Torn : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::uint64_t read_version_of(const std::string& data, int number) {
  const std::string name = file_name(data, number);
  Block block;
  std::ifstream file(name, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(block.data()), sizeof(Block))) {
    throw Torn(name + ": only " + std::to_string(file.gcount()) + " bytes");
  }
  for (std::size_t i = 1; i < block.size(); ++i) {
    if (block[i] == mixed(block[0] + i * files + static_cast<unsigned>(number))) continue;
    throw Torn(name + ": version " + std::to_string(block[0]) + " differs at word " + std::to_string(i));
  }
  return block[0];
}

// The one version of all files. Throws Torn.
std::uint64_t read_version(const std::string& data, bool ask) {
  std::array<std::uint64_t, files> versions;
  for (int number = 0; number < files; ++number) {
    if (ask) ask_the_server(file_name(data, number));
    versions[static_cast<std::size_t>(number)] = read_version_of(data, number);
    std::this_thread::yield();
  }
  if (versions.front() != versions.back() || versions.front() != versions[1]) {
    throw Torn(data + ": versions " + std::to_string(versions[0]) + ", " + std::to_string(versions[1]) + " and " +
               std::to_string(versions[2]));
  }
  return versions.front();
}

// 0 when there is none; reports what does not fit together.
std::uint64_t check_data(Mode mode, const std::string& data, bool ask) {
  try {
    return read_version(data, ask);
  } catch (const Torn& torn) {
    report("torn", std::string(to_string(mode)) + " " + torn.what());
    return 0;
  }
}

// Until then, or until the lease is not in force: the last moment at which it was.
std::optional<std::chrono::nanoseconds> last_in_force(const Lease& lease, std::chrono::nanoseconds until) {
  auto last = order_now_in_force(lease);
  for (auto left = until - monotonic_now(); last && left.count() > 0; left = until - monotonic_now()) {
    // The hold itself: a time is what is wanted.
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, between_stamps));
    const auto now = order_now_in_force(lease);
    if (!now) return last;
    last = now;
  }
  return last;
}

}  // namespace

// contend MILLISECONDS WRITES-IN-100 SEED DATA [ask]: takes the lock again and again, at least once; a writer makes the
// next version of the files DATA.0… , everybody checks what is there; with "ask" each file is asked for by a forced
// look before. Reports "hold" for each, "torn" for what does not fit together.
std::string Session::contend(const Words& words) {
  const auto end = monotonic_now() + std::chrono::milliseconds(std::stoll(words.at(1)));
  std::mt19937 random(static_cast<unsigned>(std::stoul(words.at(3))));
  std::uniform_int_distribution<int> percent(0, 99);
  const int writes = std::stoi(words.at(2));
  const std::string& data = words.at(4);
  const bool ask = words.size() > 5;
  int holds = 0;
  do {
    const Mode mode = percent(random) < writes ? Mode::write : Mode::read;
    const auto asked = order_now();
    Lease lease = lock_.acquire(mode, Deadline::after(longest_wait_));
    const auto entered = order_now();
    const std::uint64_t version = check_data(mode, data, ask);
    if (mode == Mode::write) write_version(data, version + 1);
    const auto left = order_now_in_force(lease);
    if (!left) throw std::runtime_error("the lease ran out");
    report_hold(mode, asked, entered, *left);
    ++holds;
  } while (monotonic_now() < end);
  return std::to_string(holds);
}

// rounds read|write HOLD-MICROSECONDS: takes the lock again and again until SIGUSR1. Reports "hold" for each, up to the
// last moment at which it was in force, and "ran-out" for one that was not to the end.
std::string Session::rounds(const Words& words) {
  const Mode mode = words.at(1) == "write" ? Mode::write : Mode::read;
  const std::chrono::microseconds hold(std::stoll(words.at(2)));
  const Cancel& cancel = cancel_on_usr1();
  try {
    for (;;) {
      const auto asked = order_now();
      Lease lease = lock_.acquire(mode, Deadline::after(longest_wait_), &cancel);
      const auto until = monotonic_now() + hold;
      const auto entered = order_now_in_force(lease);
      const auto left = entered ? last_in_force(lease, until) : std::nullopt;
      if (entered) report_hold(mode, asked, *entered, left.value_or(*entered));
      if (lease.release() != ReleaseResult::released) report("ran-out", std::string(to_string(mode)));
      if (cancel.cancelled()) return "";
    }
  } catch (const Cancelled&) {
    return "";
  }
}

// attempts read|write MILLISECONDS: short acquires in a row, each with that timeout, until one is granted; says how
// many it took.
std::string Session::attempts(const Words& words) {
  const Mode mode = words.at(1) == "write" ? Mode::write : Mode::read;
  const std::chrono::milliseconds timeout(std::stoll(words.at(2)));
  const auto end = monotonic_now() + longest_wait_;
  for (int count = 1; monotonic_now() < end; ++count) {
    try {
      leases_.push_back(lock_.acquire(mode, Deadline::after(timeout)));
      return std::to_string(count);
    } catch (const Timeout&) {
      continue;
    }
  }
  throw std::runtime_error("never granted");
}

}  // namespace rwlease::test
